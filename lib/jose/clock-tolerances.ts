import { collectedCapability } from '../contracts/capability.js';

/** By how many seconds a feature lets clocks differ. */
export interface ClockTolerance {
  /** The feature as the developer writes it: `dpop()` in backticks. */
  readonly feature: string;
  readonly seconds: number;
}

/** The key under which features contribute their clock tolerance, for profiles that limit it. */
export const CLOCK_TOLERANCES = collectedCapability<ClockTolerance>('clock tolerances');
