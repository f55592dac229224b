import type { DescribedClient } from '../features/client-metadata/client-of.js';
import type { Registration, RegistrationCredentials } from '../features/registration/registration-model.js';
import { digest, matchesQuickly, quickHash, readHash } from './client-secret.js';
import { secretHash } from './kept-secrets.js';
import type { StoredClient } from './ports.js';

/** A client that has registered itself, with what it proves itself by. */
export function storedClient({ client, issuedAt }: Registration, credentials: RegistrationCredentials): StoredClient {
  const { clientSecret, registrationAccessToken = '' } = credentials;
  const registration = { issuedAt: issuedAt.getTime(), tokenHash: digest(registrationAccessToken) };
  return { ...client, registration, ...(clientSecret !== undefined && { secretHashes: [quickHash(clientSecret)] }) };
}

/** What of a client its own registration says, and a change of it replaces; what a host has added stays. */
const DESCRIBED: readonly (keyof DescribedClient)[] = [
  'grants',
  'redirectUris',
  'tokenEndpointAuthMethod',
  'scopes',
  'defaultScope',
  'applicationType',
  'name',
  'requirePushedAuthorizationRequests',
  'dpopBoundAccessTokens',
  'metadata',
];

export const described = (client: DescribedClient) => Object.fromEntries(DESCRIBED.map((name) => [name, client[name]]));

/** The same client with another secret alone. */
export function withSecret({ secret: _, ...client }: StoredClient, secret: string, now: number): StoredClient {
  return { ...client, secretHashes: [secretHash(quickHash(secret), now)] };
}

/** Secrets of clients that register themselves are random: one round of SHA-256 hides them. */
export function isRight({ secretHashes = [] }: StoredClient, secret: string): boolean {
  return secretHashes.some((kept) => {
    const hash = typeof kept === 'string' ? readHash(kept) : undefined;
    return hash !== undefined && matchesQuickly(hash, secret);
  });
}
