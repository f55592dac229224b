import type { Registration, RegistrationCredentials } from '../features/registration/registration-model.js';
import { digest, matchesQuickly, quickHash, readHash } from './client-secret.js';
import type { StoredClient } from './ports.js';

/** A client that has registered itself, with what it proves itself by. */
export function storedClient({ client, issuedAt }: Registration, credentials: RegistrationCredentials): StoredClient {
  const { clientSecret, registrationAccessToken = '' } = credentials;
  const registration = { issuedAt: issuedAt.getTime(), tokenHash: digest(registrationAccessToken) };
  return { ...client, registration, ...(clientSecret !== undefined && { secretHashes: [quickHash(clientSecret)] }) };
}

/** Secrets of clients that register themselves are random: one round of SHA-256 hides them. */
export function isRight({ secretHashes = [] }: StoredClient, secret: string): boolean {
  return secretHashes.some((kept) => {
    const hash = typeof kept === 'string' ? readHash(kept) : undefined;
    return hash !== undefined && matchesQuickly(hash, secret);
  });
}
