import { capability } from '../contracts/capability.js';
import type { CoreClient, User } from '../model/model.js';

/** Derives the identifiers by which clients know users. OpenID Connect Core §8 */
export interface SubjectIdentifiers {
  /**
   * Returns the `sub` of a user at a client.
   * @param issued The code or token for which the client learns the `sub`. It stores the sector that was proven.
   */
  subjectOf(user: User, client: CoreClient, issued?: object): string;
}

/** The key under which `openid()` provides the identifiers by which clients know users. */
export const SUBJECT_IDENTIFIERS = capability<SubjectIdentifiers>('subject identifiers', 'openid');
