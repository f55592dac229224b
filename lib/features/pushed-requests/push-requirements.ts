import { collectedCapability } from '../../contracts/capability.js';

/** The rules for pushed authorization requests: whether they are required, and how long they can be opened. RFC 9126 */
export interface PushRequirements {
  /** Whether every authorization request must be pushed. */
  readonly required: boolean;
  /** Seconds in which the browser must open a pushed request. */
  readonly lifetime: number;
}

/** The capability key under which `pushedRequests()` contributes its requirements, for profiles that verify them. */
export const PUSHED_REQUESTS = collectedCapability<PushRequirements>('pushed requests');
