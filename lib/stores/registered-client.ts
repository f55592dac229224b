import type { DescribedClient } from '../clients/registration/client-of.js';
import type { Registration, RegistrationCredentials } from '../features/registration/registration-model.js';
import { digest, isSameSecret, matchesQuickly, readHash } from './client-secret.js';
import { secretHash } from './kept-secrets.js';
import type { StoredClient } from './ports.js';
import type { SealedSecrets } from './sealed-secrets.js';

/** A client that has registered itself, with what it proves itself by. */
export function storedClient(
  { client, issuedAt }: Registration,
  credentials: RegistrationCredentials,
  sealing: SealedSecrets,
): StoredClient {
  const { clientSecret, registrationAccessToken = '' } = credentials;
  const registration = { issuedAt: issuedAt.getTime(), tokenHash: digest(registrationAccessToken) };
  const kept = clientSecret === undefined ? undefined : sealing.keptRandom(clientSecret, client);
  return { ...client, registration, ...(kept !== undefined && { secretHashes: [kept] }) };
}

/** What of a client its own registration says, and a change of it replaces; what a host has added stays. */
const DESCRIBED: readonly (keyof DescribedClient)[] = [
  'grants',
  'redirectUris',
  'tokenEndpointAuthMethod',
  'scopes',
  'defaultScope',
  'name',
  'requiresSectorProof',
  'metadata',
];

export const described = (client: DescribedClient) => Object.fromEntries(DESCRIBED.map((name) => [name, client[name]]));

/** The same client with another secret alone. */
export function withSecret(
  { secret: _, ...client }: StoredClient,
  secret: string,
  { now, sealing }: { now: number; sealing: SealedSecrets },
): StoredClient {
  return { ...client, secretHashes: [secretHash(sealing.keptRandom(secret, client), now)] };
}

/** One of which nothing else is known than what it says now, and how it manages that. */
export function changedRegistration(
  { registration, secretHashes }: StoredClient,
  client: DescribedClient,
  secret: string | undefined,
  sealing: SealedSecrets,
): StoredClient {
  const hashes = secret === undefined ? secretHashes : [sealing.keptRandom(secret, client)];
  return { ...client, registration, ...(hashes && { secretHashes: hashes }) };
}

/** Secrets of clients that register themselves are random: one round of SHA-256 hides them. */
export function isRight({ secretHashes = [] }: StoredClient, secret: string, sealing: SealedSecrets): boolean {
  return secretHashes.some((kept) => {
    if (typeof kept !== 'string') return false;
    const hash = readHash(kept);
    const opened = sealing.open(kept);
    return hash ? matchesQuickly(hash, secret) : opened !== undefined && isSameSecret(opened, secret);
  });
}
