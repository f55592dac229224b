import { findFlagErrors } from '../../options/flag-errors.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import { ALGORITHM_NAMES, ALGORITHMS, areAlgorithms, type SigningAlgorithm } from '../../jose/algorithms.js';
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

/** The requirements for signed requests with their defaults. */
export type SignedSettings = Required<SignedOptions>;

export const settleSigned = ({
  required = false,
  algorithms = ALGORITHMS,
  maxLifetime = 3600,
  clockTolerance = CLOCK_TOLERANCE,
}: SignedOptions): SignedSettings => ({ required, algorithms, maxLifetime, clockTolerance });

const OPTION = '`signed` of `ciba()`';
const NAMES = { required: true, algorithms: true, maxLifetime: true, clockTolerance: true } as const;
const MIN_SECONDS = { maxLifetime: 1, clockTolerance: 0 } as const;
const MAX_SECONDS = { maxLifetime: 86_400, clockTolerance: 600 } as const;

/** Yields an error message for each invalid option. */
export function* findSignedOptionErrors(options: SignedOptions): Iterable<string> {
  const unknownOption = findUnknownOption(options, NAMES, OPTION);
  if (unknownOption !== undefined) yield unknownOption;
  yield* findFlagErrors(options, ['required'], OPTION);
  const { algorithms = ALGORITHMS }: { algorithms?: unknown } = options;
  if (!areAlgorithms(algorithms)) yield `\`algorithms\` in ${OPTION} must be a list of ${ALGORITHM_NAMES}`;
  for (const name of ['maxLifetime', 'clockTolerance'] as const) {
    const { [name]: seconds } = options;
    const isNumber = typeof seconds === 'number' && seconds >= MIN_SECONDS[name] && seconds <= MAX_SECONDS[name];
    if (seconds !== undefined && !isNumber)
      yield `\`${name}\` in ${OPTION} must be a number of seconds, from ${MIN_SECONDS[name]} to ${MAX_SECONDS[name]}`;
  }
}
