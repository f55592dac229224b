import type { CreateClientOptions } from '../../model/clients.js';
import { quickHash, hashSecret } from './client-secret.js';
import type { SecretHash, StoredClient } from '../contract/ports.js';
import type { EncryptedSecrets } from './encrypted-secrets.js';

/**
 * Maximum number of secrets of a client. Verifying a wrong secret computes scrypt once for each secret that was not
 * generated.
 */
export const MAX_SECRETS = 5;

/** The stored form of a secret: a hash, with or without times. */
export type StoredSecret = string | SecretHash;

export const hashOf = (storedSecret: StoredSecret): string =>
  typeof storedSecret === 'string' ? storedSecret : storedSecret?.hash;

/** Whether a stored secret has not expired at a time. A secret with an invalid expiry counts as expired. */
export function isValid(storedSecret: StoredSecret, now: number): boolean {
  return typeof storedSecret === 'string' || (storedSecret.expiresAt ?? Infinity) > now;
}

/** Returns the hashes of those secrets that have not expired at a time. */
export function validHashes(storedSecrets: readonly StoredSecret[], now: number): string[] {
  return storedSecrets.filter((each) => isValid(each, now)).map(hashOf);
}

/**
 * Returns the secrets of a client in their stored form: the plain text secrets hashed or encrypted, and the hashes in
 * `secretHashes` as they are.
 */
export async function toStoredSecrets(
  { secret, secretHashes, tokenEndpointAuthMethod }: Partial<StoredClient>,
  now: number,
  { secretLifetime: lifetime, isRandom = false, encryption }: CreateClientOptions & { encryption: EncryptedSecrets },
): Promise<StoredSecret[]> {
  const toStoredSecret = async (text: string) =>
    encryption.encrypt(text, { tokenEndpointAuthMethod }) ?? (isRandom ? quickHash(text) : hashSecret(text));
  const hashed = await Promise.all([secret ?? []].flat().map(toStoredSecret));
  const others = (secretHashes ?? []).map((storedSecret) =>
    typeof storedSecret === 'string' && lifetime !== undefined ? secretHash(storedSecret, now, lifetime) : storedSecret,
  );
  return [...hashed.map((hash) => secretHash(hash, now, lifetime)), ...others];
}

export function secretHash(hash: string, now: number, lifetime?: number): SecretHash {
  return lifetime === undefined ? { hash, createdAt: now } : { hash, createdAt: now, expiresAt: now + lifetime * 1000 };
}

/**
 * Returns a client with a new secret. Its earlier secrets expire after `overlap` seconds, unless they expire before.
 * Secrets that have already expired are removed.
 */
export async function withRotatedSecret(
  { secret, secretHashes, ...client }: StoredClient,
  newest: SecretHash,
  { overlap, encryption }: { overlap: number; encryption: EncryptedSecrets },
): Promise<StoredClient> {
  const now = newest.createdAt!;
  const until = now + overlap * 1000;
  const others = overlap > 0 ? await toStoredSecrets({ ...client, secret, secretHashes }, now, { encryption }) : [];
  const good = others.filter((each) => isValid(each, now)).map((each) => expiringBy(each, until));
  return { ...client, secretHashes: [newest, ...good].slice(0, MAX_SECRETS) };
}

/** Returns a client with only its newest secret. */
export function withNewestSecret({ secret, secretHashes = [], ...client }: StoredClient, now: number): StoredClient {
  const [plain] = [secret ?? []].flat();
  if (plain !== undefined) return { ...client, secret: plain };
  return { ...client, secretHashes: secretHashes.filter((storedSecret) => isValid(storedSecret, now)).slice(0, 1) };
}

function expiringBy(storedSecret: StoredSecret, until: number): StoredSecret {
  if (until === Infinity) return storedSecret;
  const secret: SecretHash = typeof storedSecret === 'string' ? { hash: storedSecret } : storedSecret;
  return { ...secret, expiresAt: Math.min(secret.expiresAt ?? until, until) };
}
