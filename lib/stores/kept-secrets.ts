import type { CreateClientOptions } from '../model/clients.js';
import { quickHash, hashSecret } from './client-secret.js';
import type { SecretHash, StoredClient } from './ports.js';
import type { SealedSecrets } from './sealed-secrets.js';

/** How many secrets a client has at most: of those that somebody chose, a wrong one costs a scrypt for each. */
export const SECRETS = 5;

/** What is kept of a secret, with a time or without. */
export type KeptSecret = string | SecretHash;

export const hashOf = (kept: KeptSecret): string => (typeof kept === 'string' ? kept : kept?.hash);

/** Is it still good? A moment that is none is over. */
export function isGood(kept: KeptSecret, now: number): boolean {
  return typeof kept === 'string' || (kept.expiresAt ?? Infinity) > now;
}

/** Those that are still good, as hashes alone. */
export function goodHashes(kept: readonly KeptSecret[], now: number): string[] {
  return kept.filter((each) => isGood(each, now)).map(hashOf);
}

/** What is kept of secrets from now on. */
export async function keptSecrets(
  { secret, secretHashes, tokenEndpointAuthMethod }: Partial<StoredClient>,
  now: number,
  { secretLifetime: lifetime, isRandom = false, sealing }: CreateClientOptions & { sealing: SealedSecrets },
): Promise<KeptSecret[]> {
  const keep = async (text: string) =>
    sealing.sealed(text, { tokenEndpointAuthMethod }) ?? (isRandom ? quickHash(text) : hashSecret(text));
  const hashed = await Promise.all([secret ?? []].flat().map(keep));
  const others = (secretHashes ?? []).map((kept) =>
    typeof kept === 'string' && lifetime !== undefined ? secretHash(kept, now, lifetime) : kept,
  );
  return [...hashed.map((hash) => secretHash(hash, now, lifetime)), ...others];
}

export function secretHash(hash: string, now: number, lifetime?: number): SecretHash {
  return lifetime === undefined ? { hash, createdAt: now } : { hash, createdAt: now, expiresAt: now + lifetime * 1000 };
}

/** A client with another secret, and those before it, which are good until a time; what is over has gone. */
export async function rotated(
  { secret, secretHashes, ...client }: StoredClient,
  newest: SecretHash,
  { overlap, sealing }: { overlap: number; sealing: SealedSecrets },
): Promise<StoredClient> {
  const now = newest.createdAt!;
  const until = now + overlap * 1000;
  const others = overlap > 0 ? await keptSecrets({ ...client, secret, secretHashes }, now, { sealing }) : [];
  const good = others.filter((each) => isGood(each, now)).map((each) => endingBy(each, until));
  return { ...client, secretHashes: [newest, ...good].slice(0, SECRETS) };
}

/** A client with the newest of its secrets alone. */
export function withNewestSecret({ secret, secretHashes = [], ...client }: StoredClient, now: number): StoredClient {
  const [plain] = [secret ?? []].flat();
  if (plain !== undefined) return { ...client, secret: plain };
  return { ...client, secretHashes: secretHashes.filter((kept) => isGood(kept, now)).slice(0, 1) };
}

function endingBy(kept: KeptSecret, until: number): KeptSecret {
  if (until === Infinity) return kept;
  const secret: SecretHash = typeof kept === 'string' ? { hash: kept } : kept;
  return { ...secret, expiresAt: Math.min(secret.expiresAt ?? until, until) };
}
