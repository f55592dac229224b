import type { MetadataClient } from '../clients/registration/client-from-metadata.js';
import type { Registration, RegistrationCredentials } from '../features/registration/registration-model.js';
import { digest, isSameSecret, matchesQuickHash, readHash } from './client-secret.js';
import { secretHash } from './stored-secrets.js';
import type { StoredClient } from './ports.js';
import type { EncryptedSecrets } from './encrypted-secrets.js';

/** A client that has registered itself, with what it proves itself by. */
export function newRegisteredClient(
  { client, issuedAt }: Registration,
  credentials: RegistrationCredentials,
  sealing: EncryptedSecrets,
): StoredClient {
  const { clientSecret, registrationAccessToken = '' } = credentials;
  const registration = { issuedAt: issuedAt.getTime(), tokenHash: digest(registrationAccessToken) };
  const kept = clientSecret === undefined ? undefined : sealing.storedRandomSecret(clientSecret, client);
  return { ...client, registration, ...(kept !== undefined && { secretHashes: [kept] }) };
}

/** What of a client its own registration says, and a change of it replaces; what a host has added stays. */
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

/** The same client with another secret alone. */
export function withSecret(
  { secret: _, ...client }: StoredClient,
  secret: string,
  { now, sealing }: { now: number; sealing: EncryptedSecrets },
): StoredClient {
  return { ...client, secretHashes: [secretHash(sealing.storedRandomSecret(secret, client), now)] };
}

/** One of which nothing else is known than what it says now, and how it manages that. */
export function changedRegistration(
  { registration, secretHashes }: StoredClient,
  client: MetadataClient,
  secret: string | undefined,
  sealing: EncryptedSecrets,
): StoredClient {
  const hashes = secret === undefined ? secretHashes : [sealing.storedRandomSecret(secret, client)];
  return { ...client, registration, ...(hashes && { secretHashes: hashes }) };
}

/** Secrets of clients that register themselves are random: one round of SHA-256 hides them. */
export function matchesSecret({ secretHashes = [] }: StoredClient, secret: string, sealing: EncryptedSecrets): boolean {
  return secretHashes.some((kept) => {
    if (typeof kept !== 'string') return false;
    const hash = readHash(kept);
    const opened = sealing.decrypt(kept);
    return hash ? matchesQuickHash(hash, secret) : opened !== undefined && isSameSecret(opened, secret);
  });
}
