import { clientItself, isClientItself, nameOfClientItself } from '../tokens/client-subject.js';
import { InvalidRequestError } from '../errors/index.js';
import type { Client, RefreshToken, Token, User } from '../model/model.js';
import { digest } from './client-secret.js';
import type { Found, Key, Storage } from './storage.js';

/** What a token was exchanged for, as it is kept with what came of it. */
export interface ExchangedFor extends Key {
  /** How many there are before it. */
  depth: number;
  /** The client that acts for itself, where another one has exchanged its token. */
  self?: string;
}

/** Each look at a token looks at all that it came of. */
const DEEPEST = 8;

/** @throws InvalidRequestError where it would be too long a way back to the token of the user */
export function exchangedFor(subject: Token | RefreshToken, client: Client, user: User): ExchangedFor {
  const depth = ((subject as Token)['exchangedFor'] as ExchangedFor | undefined)?.depth ?? 0;
  if (depth >= DEEPEST) throw new InvalidRequestError(`Invalid request: exchanged more than ${DEEPEST} times`);
  const key: Key = subject['accessToken' as never]
    ? { kind: 'access', digest: digest((subject as Token).accessToken) }
    : { kind: 'refresh', digest: digest(subject.refreshToken!) };
  const isOther = isClientItself(user) && nameOfClientItself(user) !== client.id;
  return { ...key, depth: depth + 1, ...(isOther && { self: nameOfClientItself(user) }) };
}

/** The user of an exchanged token, or nobody where something that it came of has ended. */
export async function exchangedUser(storage: Storage, of: ExchangedFor, user: User): Promise<User | undefined> {
  for (let key: ExchangedFor | undefined = of; key;) {
    const row: Found | undefined = await storage.find(key.kind, key.digest);
    // A refresh token that was spent has a successor: its family is alive.
    if (!row || (row.revokedAt !== null && key.kind === 'access')) return undefined;
    key = row.data === null ? undefined : (JSON.parse(row.data) as { exchangedFor?: ExchangedFor }).exchangedFor;
  }
  return of.self === undefined ? user : clientItself({ id: of.self });
}
