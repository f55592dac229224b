import { capability } from '../../../lib/internal.js';

/** Deletes the accounts whose grace period has ended. */
export interface DueDeletions {
  /** Returns the number of accounts that were deleted. */
  finishDue(): Promise<number>;
}

/** The capability key by which the command `nest-oauth2 accounts finish` finds the deletions of a server. */
export const DUE_DELETIONS = capability<DueDeletions>('due deletions of accounts', 'accounts');
