import type { MetadataClient } from '../clients/registration/client-from-metadata.js';
import type { Registration, RegistrationCredentials } from '../features/registration/registration-model.js';
import { digest, isSameSecret, matchesQuickHash, readHash } from './client-secret.js';
import { secretHash } from './stored-secrets.js';
import type { StoredClient } from './ports.js';
import type { EncryptedSecrets } from './encrypted-secrets.js';

/**
 * Returns a dynamically registered client as it is stored, with the hash of its secret and of its registration access
 * token.
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
 * The fields that a client's registration sets and replaces. Fields that the application has added to the client stay.
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

/** Returns a client whose only secret is this one. */
export function withSecret(
  { secret: _, ...client }: StoredClient,
  secret: string,
  { now, encryption }: { now: number; encryption: EncryptedSecrets },
): StoredClient {
  return { ...client, secretHashes: [secretHash(encryption.storedRandomSecret(secret, client), now)] };
}

/**
 * Returns an unused registered client with new metadata. Its registration access token stays, and its secret unless
 * `secret` is set.
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

/** Whether a secret belongs to a dynamically registered client. These secrets are random, so a fast hash suffices. */
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
