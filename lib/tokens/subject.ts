import { isClientItself, clientIdOf } from './client-subject.js';
import type { User } from '../model/model.js';

/**
 * Returns the `sub` of a token. For the user of a client credentials grant, it is the client ID. `undefined` if the
 * user has no `id`. RFC 9068 §2.2
 */
export function subjectOf(user: User): string | undefined {
  if (isClientItself(user)) return clientIdOf(user);
  const id: unknown = user['id'];
  return id === undefined || id === null ? undefined : String(id);
}
