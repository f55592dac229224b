import { digest } from '../../lib/stores/clients/client-secret.js';
import type { Acknowledged } from './load.js';

/** The columns of a token that show which writes a replica has received. */
export const RECEIVED = `SELECT digest, revoked_at FROM oauth_tokens WHERE kind <> 'text'`;

/** Returns the acknowledged writes that are missing in the rows of `RECEIVED`. */
export function missingWrites(
  rows: readonly Record<string, unknown>[],
  { accessTokens, consumed }: Acknowledged,
): Acknowledged {
  const usedAt = new Map(rows.map((row) => [row['digest'], row['revoked_at']]));
  return {
    accessTokens: accessTokens.filter((token) => !usedAt.has(digest(token))),
    consumed: consumed.filter(({ secret }) => usedAt.get(digest(secret)) === null),
  };
}

/**
 * Returns the digests of the codes and refresh tokens that are not used in the rows of `RECEIVED`. If asynchronous
 * replication lost a use, another request can use the secret again.
 */
export const unusedIn = (rows: readonly Record<string, unknown>[]): ReadonlySet<unknown> =>
  new Set(rows.filter((row) => row['revoked_at'] === null).map((row) => row['digest']));

/** Returns the secrets whose digests are not in a set. */
export const withoutDigests = (secrets: readonly string[], digests: ReadonlySet<unknown>): string[] =>
  secrets.filter((secret) => !digests.has(digest(secret)));
