import { capability } from '../contracts/capability.js';
import type { CoreClient, User } from '../model/model.js';

/** Computes the subject identifiers by which clients know users. OpenID Connect Core 1.0 §8 */
export interface SubjectIdentifiers {
  /**
   * Returns the `sub` by which a client knows a user.
   * @param issued The code or token for which the client learns the `sub`. It contains the verified sector of the
   * client.
   */
  subjectOf(user: User, client: CoreClient, issued?: object): string;
}

/** The subject identifiers by which clients know users. `openid()` provides them. */
export const SUBJECT_IDENTIFIERS = capability<SubjectIdentifiers>('subject identifiers', 'openid');
