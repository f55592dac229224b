import { collectedCapability } from '../../contracts/capability.js';

/** Which authorization requests must be pushed, and how long they are stored. RFC 9126 */
export interface PushRequirements {
  /** Whether every authorization request must be pushed. */
  readonly required: boolean;
  /** Seconds in which the browser must open a pushed request. */
  readonly lifetime: number;
}

/** The key under which `pushedRequests()` contributes its requirements, for profiles that restrict them. */
export const PUSHED_REQUESTS = collectedCapability<PushRequirements>('pushed requests');
