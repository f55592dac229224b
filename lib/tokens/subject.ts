import { isClientItself, clientIdOf } from './client-subject.js';
import { UnauthorizedClientError } from '../errors/index.js';
import type { CoreClient, User } from '../model/model.js';

/**
 * Returns the `sub` of a token. For the user of a client credentials grant, it is the client ID. If another client has
 * exchanged such a token, it is the ID of the synthetic user, because APIs would take the client ID for a user.
 * `undefined` if the user has no `id`. RFC 9068 §2.2
 * @param client The client to which the token was issued.
 */
export function subjectOf(user: User, client: CoreClient): string | undefined {
  if (isClientItself(user)) return clientIdOf(user) === client.id ? client.id : String(user['id']);
  const id: unknown = user['id'];
  return id === undefined || id === null ? undefined : String(id);
}

/**
 * Verifies that the ID of a user is not the ID of the client to which a token is issued. APIs take a token whose `sub`
 * is its `client_id` for a token of the client itself. RFC 9068 §5
 * @throws {UnauthorizedClientError} If it is.
 */
export function verifySubject(user: User, client: CoreClient): void {
  const id: unknown = user['id'];
  if (id === undefined || id === null || String(id) !== client.id) return;
  const message = 'Unauthorized client: the user has the ID of the client';
  throw new UnauthorizedClientError(message).because({
    reason: 'user has the ID of the client, so APIs would take the token for one of the client itself',
    given: client.id,
    remedy: 'give the user or the client another ID',
  });
}
