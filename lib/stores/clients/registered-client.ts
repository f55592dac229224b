import type { MetadataClient } from '../../clients/registration/client-from-metadata.js';
import type { Registration, RegistrationCredentials } from '../../features/registration/registration-model.js';
import { digest, isSameSecret, matchesQuickHash, readHash } from './client-secret.js';
import { secretHash } from './stored-secrets.js';
import type { StoredClient } from '../contract/ports.js';
import type { EncryptedSecrets } from './encrypted-secrets.js';

/**
 * Returns a dynamically registered client as it is stored, with the hash of its registration access token, and its
 * secret hashed or encrypted.
 */
export function newRegisteredClient(
  { client, issuedAt }: Registration,
  credentials: RegistrationCredentials,
  encryption: EncryptedSecrets,
): StoredClient {
  const { clientSecret, registrationAccessToken = '' } = credentials;
  const registration = { issuedAt: issuedAt.getTime(), tokenHash: digest(registrationAccessToken) };
  const storedSecret = clientSecret === undefined ? undefined : encryption.storedRandomSecret(clientSecret, client);
  return { ...client, registration, ...(storedSecret !== undefined && { secretHashes: [storedSecret] }) };
}

/**
 * The fields that a client declares when it registers itself or updates its registration. Other fields, which the
 * application has added, stay unchanged.
 */
const DECLARED: readonly (keyof MetadataClient)[] = [
  'grants',
  'redirectUris',
  'tokenEndpointAuthMethod',
  'scopes',
  'defaultScope',
  'name',
  'requiresSectorProof',
  'metadata',
];

export const declaredFields = (client: MetadataClient) =>
  Object.fromEntries(DECLARED.map((name) => [name, client[name]]));

/** Returns a client with this secret, hashed or encrypted, as its only secret. */
export function withSecret(
  { secret: _, ...client }: StoredClient,
  secret: string,
  { now, encryption }: { now: number; encryption: EncryptedSecrets },
): StoredClient {
  return { ...client, secretHashes: [secretHash(encryption.storedRandomSecret(secret, client), now)] };
}

/**
 * Returns a registered client that was never used, with new metadata. Its registration access token stays. Its secret
 * stays too, unless `secret` is set.
 */
export function changedRegistration(
  { registration, secretHashes }: StoredClient,
  client: MetadataClient,
  secret: string | undefined,
  encryption: EncryptedSecrets,
): StoredClient {
  const hashes = secret === undefined ? secretHashes : [encryption.storedRandomSecret(secret, client)];
  return { ...client, registration, ...(hashes && { secretHashes: hashes }) };
}

/**
 * Whether a secret is that of a client that registered itself and was never used. These secrets are random, so a fast
 * hash suffices.
 */
export function matchesSecret(
  { secretHashes = [] }: StoredClient,
  secret: string,
  encryption: EncryptedSecrets,
): boolean {
  return secretHashes.some((storedSecret) => {
    if (typeof storedSecret !== 'string') return false;
    const hash = readHash(storedSecret);
    const opened = encryption.decrypt(storedSecret);
    return hash ? matchesQuickHash(hash, secret) : opened !== undefined && isSameSecret(opened, secret);
  });
}
