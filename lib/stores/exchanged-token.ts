import { clientItself, isClientItself, clientIdOf } from '../tokens/client-subject.js';
import { InvalidRequestError } from '../errors/index.js';
import type { Client, RefreshToken, Token, User } from '../model/model.js';
import { digest } from './client-secret.js';
import type { StoredRow, RowKey, Storage } from './storage.js';

/** What a token was exchanged for, as it is kept with what came of it. */
export interface SubjectTokenReference extends RowKey {
  /** How many there are before it. */
  depth: number;
  /** The client that acts for itself, where another one has exchanged its token. */
  self?: string;
}

/** Each look at a token looks at all that it came of. */
const MAX_DEPTH = 8;

/** @throws InvalidRequestError where it would be too long a way back to the token of the user */
export function exchangedFor(subject: Token | RefreshToken, client: Client, user: User): SubjectTokenReference {
  const depth = ((subject as Token)['exchangedFor'] as SubjectTokenReference | undefined)?.depth ?? 0;
  if (depth >= MAX_DEPTH) throw new InvalidRequestError(`Invalid request: exchanged more than ${MAX_DEPTH} times`);
  const key: RowKey = subject['accessToken' as never]
    ? { kind: 'access', digest: digest((subject as Token).accessToken) }
    : { kind: 'refresh', digest: digest(subject.refreshToken!) };
  const isOther = isClientItself(user) && clientIdOf(user) !== client.id;
  return { ...key, depth: depth + 1, ...(isOther && { self: clientIdOf(user) }) };
}

/** The user of an exchanged token, or nobody where something that it came of has ended. */
export async function userOfExchangedToken(
  storage: Storage,
  of: SubjectTokenReference,
  user: User,
): Promise<User | undefined> {
  for (let key: SubjectTokenReference | undefined = of; key;) {
    const row: StoredRow | undefined = await storage.find(key.kind, key.digest);
    // A refresh token that was spent has a successor: its family is alive.
    if (!row || (row.revokedAt !== null && key.kind === 'access')) return undefined;
    key =
      row.data === null ? undefined : (JSON.parse(row.data) as { exchangedFor?: SubjectTokenReference }).exchangedFor;
  }
  return of.self === undefined ? user : clientItself({ id: of.self });
}
