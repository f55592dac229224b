import { clientItself, isClientItself, clientIdOf } from '../../tokens/client-subject.js';
import { InvalidRequestError } from '../../errors/index.js';
import type { Client, RefreshToken, Token, User } from '../../model/model.js';
import { digest } from '../clients/client-secret.js';
import { hasCurrentPassword } from '../clients/password-mark.js';
import type { StoreContext } from '../clients/store-context.js';
import type { StoredRow, RowKey } from '../contract/storage.js';

/**
 * A reference to the subject token of a token exchange. It is stored with the token that was issued in exchange for it.
 */
export interface SubjectTokenReference extends RowKey {
  /** Number of successive exchanges that led to the issued token, at least 1. */
  depth: number;
  /**
   * The ID of a client that is the user of the subject token, which was issued by a client credentials grant. Set only
   * if another client exchanged this token.
   */
  self?: string;
}

/**
 * Maximum number of successive token exchanges. Each look-up of an issued token also looks up all subject tokens before
 * it.
 */
const MAX_DEPTH = 8;

/**
 * Returns the reference to a subject token that is stored with the token issued in exchange for it.
 * @throws {InvalidRequestError} If the subject token itself results from the maximum number of successive exchanges.
 */
export function subjectTokenReference(
  subject: Token | RefreshToken,
  client: Client,
  user: User,
): SubjectTokenReference {
  const depth = ((subject as Token)['exchangedFor'] as SubjectTokenReference | undefined)?.depth ?? 0;
  if (depth >= MAX_DEPTH)
    throw new InvalidRequestError(
      `Invalid request: the subject token results from ${MAX_DEPTH} successive exchanges, which is the maximum`,
    );
  const key: RowKey = subject['accessToken' as never]
    ? { kind: 'access', digest: digest((subject as Token).accessToken) }
    : { kind: 'refresh', digest: digest(subject.refreshToken!) };
  const isOther = isClientItself(user) && clientIdOf(user) !== client.id;
  return { ...key, depth: depth + 1, ...(isOther && { self: clientIdOf(user) }) };
}

/**
 * Returns the user of a token that was issued in a token exchange. Returns `undefined` if any of the subject tokens
 * from which it results was revoked, or was issued before the user changed the password.
 */
export async function userOfExchangedToken(
  { storage, users }: Pick<StoreContext, 'storage' | 'users'>,
  reference: SubjectTokenReference,
  user: User,
): Promise<User | undefined> {
  for (let key: SubjectTokenReference | undefined = reference; key;) {
    const row: StoredRow | undefined = await storage.find(key.kind, key.digest);
    // A refresh token that is marked as used was rotated: its family is still active.
    if (!row || (row.revokedAt !== null && key.kind === 'access')) return undefined;
    // The issued token has the password mark of the moment when it was saved, which may be later than the change.
    if (!hasCurrentPassword(users, user, row)) return undefined;
    key =
      row.data === null ? undefined : (JSON.parse(row.data) as { exchangedFor?: SubjectTokenReference }).exchangedFor;
  }
  return reference.self === undefined ? user : clientItself({ id: reference.self });
}
