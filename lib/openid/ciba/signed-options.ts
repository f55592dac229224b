import { type OptionRows, optionTable, type SettingsOf } from '../../options/option-table.js';
import { FLAG, secondsFrom } from '../../options/value-checks.js';
import { ALGORITHMS, SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../jose/algorithms.js';
import { CLOCK_TOLERANCE } from '../../jose/verify-jwt.js';

/** The requirements for signed requests: the option `signed` of `ciba()`. CIBA §7.1.1 */
export interface SignedOptions {
  /**
   * Whether every request must be signed, as FAPI-CIBA §5.2.2 requires. If `false`, only requests of clients with
   * `backchannelAuthenticationRequestSigningAlg` must be. Default: `false`.
   */
  required?: boolean;
  /** The accepted signature algorithms of requests. Default: every `SigningAlgorithm` that this Node.js supports. */
  algorithms?: readonly SigningAlgorithm[];
  /**
   * Maximum number of seconds from the `nbf` of a request to its `exp`. Default: `3600`, the maximum of FAPI-CIBA
   * §5.2.2.
   */
  maxLifetime?: number;
  /** The accepted clock skew of clients, in seconds. Default: `10`. */
  clockTolerance?: number;
}

/** The options in `signed` of `ciba()`: validation and defaults. */
export const SIGNED_OPTIONS = optionTable('`signed` of `ciba()`', {
  required: { check: FLAG, default: false },
  algorithms: { check: SIGNING_ALGORITHMS, default: ALGORITHMS },
  maxLifetime: { check: secondsFrom(1, 86_400), default: 3600 },
  clockTolerance: { check: secondsFrom(0, 600), default: CLOCK_TOLERANCE },
} satisfies OptionRows<SignedOptions>);

/** The requirements for signed requests with their defaults. */
export type SignedSettings = SettingsOf<SignedOptions, typeof SIGNED_OPTIONS>;
