import type { CreateClientOptions } from '../model/clients.js';
import { quickHash, hashSecret } from './client-secret.js';
import type { SecretHash, StoredClient } from './ports.js';
import type { EncryptedSecrets } from './encrypted-secrets.js';

/** How many secrets a client has at most: of those that somebody chose, a wrong one costs a scrypt for each. */
export const MAX_SECRETS = 5;

/** What is kept of a secret, with a time or without. */
export type StoredSecret = string | SecretHash;

export const hashOf = (kept: StoredSecret): string => (typeof kept === 'string' ? kept : kept?.hash);

/** Is it still good? A moment that is none is over. */
export function isValid(kept: StoredSecret, now: number): boolean {
  return typeof kept === 'string' || (kept.expiresAt ?? Infinity) > now;
}

/** Those that are still good, as hashes alone. */
export function validHashes(kept: readonly StoredSecret[], now: number): string[] {
  return kept.filter((each) => isValid(each, now)).map(hashOf);
}

/** What is kept of secrets from now on. */
export async function toStoredSecrets(
  { secret, secretHashes, tokenEndpointAuthMethod }: Partial<StoredClient>,
  now: number,
  { secretLifetime: lifetime, isRandom = false, sealing }: CreateClientOptions & { sealing: EncryptedSecrets },
): Promise<StoredSecret[]> {
  const keep = async (text: string) =>
    sealing.encrypt(text, { tokenEndpointAuthMethod }) ?? (isRandom ? quickHash(text) : hashSecret(text));
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
export async function withRotatedSecret(
  { secret, secretHashes, ...client }: StoredClient,
  newest: SecretHash,
  { overlap, sealing }: { overlap: number; sealing: EncryptedSecrets },
): Promise<StoredClient> {
  const now = newest.createdAt!;
  const until = now + overlap * 1000;
  const others = overlap > 0 ? await toStoredSecrets({ ...client, secret, secretHashes }, now, { sealing }) : [];
  const good = others.filter((each) => isValid(each, now)).map((each) => expiringBy(each, until));
  return { ...client, secretHashes: [newest, ...good].slice(0, MAX_SECRETS) };
}

/** A client with the newest of its secrets alone. */
export function withNewestSecret({ secret, secretHashes = [], ...client }: StoredClient, now: number): StoredClient {
  const [plain] = [secret ?? []].flat();
  if (plain !== undefined) return { ...client, secret: plain };
  return { ...client, secretHashes: secretHashes.filter((kept) => isValid(kept, now)).slice(0, 1) };
}

function expiringBy(kept: StoredSecret, until: number): StoredSecret {
  if (until === Infinity) return kept;
  const secret: SecretHash = typeof kept === 'string' ? { hash: kept } : kept;
  return { ...secret, expiresAt: Math.min(secret.expiresAt ?? until, until) };
}
