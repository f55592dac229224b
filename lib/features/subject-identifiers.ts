import { capability } from '../contracts/capability.js';
import type { CoreClient, User } from '../model/model.js';

/** Returns the subject identifiers (`sub`) by which clients know users. OpenID Connect Core 1.0 §8 */
export interface SubjectIdentifiers {
  /**
   * Returns the `sub` by which a client knows a user.
   * @param issued The code or token for which the `sub` is needed. It contains the verified sector of the client.
   */
  subjectOf(user: User, client: CoreClient, issued?: object): string;
}

/** The capability key under which `openid()` provides the subject identifiers of users. */
export const SUBJECT_IDENTIFIERS = capability<SubjectIdentifiers>('subject identifiers', 'openid');
