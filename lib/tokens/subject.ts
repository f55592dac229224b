import { isClientItself, clientIdOf } from './client-subject.js';
import type { User } from '../model/model.js';

/** Who a token names, as its `sub`. Of a client that acts for itself it is its own id. RFC 9068 §2.2 */
export function subjectOf(user: User): string | undefined {
  if (isClientItself(user)) return clientIdOf(user);
  const id: unknown = user['id'];
  return id === undefined || id === null ? undefined : String(id);
}
