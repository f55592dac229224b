import type { User } from '../../../lib/index.js';
import { capability } from '../../../lib/internal.js';

/** Deletes the accounts of one realm whose grace period has ended. */
export interface DueDeletions {
  readonly realm: string;
  /** Returns the number of accounts that were deleted. */
  finishDue(): Promise<number>;
  /** Removes what an interrupted deletion has left of an earlier user, when a new user gets the same ID. */
  finishEarlier(user: User): Promise<void>;
}

/**
 * The capability key by which the command `nest-oauth2 accounts finish`, and features that create users, find the
 * deletions of a server.
 */
export const DUE_DELETIONS = capability<DueDeletions>('due deletions of accounts', 'accounts');
