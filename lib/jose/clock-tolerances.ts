import { collectedCapability } from '../contracts/capability.js';

/** The clock skew that a feature accepts. */
export interface ClockTolerance {
  /** The feature as the developer writes it, in backticks, such as `dpop()`. */
  readonly feature: string;
  readonly seconds: number;
}

/** The capability key under which features contribute their clock tolerance. Profiles use it to limit the tolerance. */
export const CLOCK_TOLERANCES = collectedCapability<ClockTolerance>('clock tolerances');
