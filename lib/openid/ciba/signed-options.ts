import { findFlagErrors } from '../../options/flag-errors.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import { ALGORITHM_NAMES, ALGORITHMS, areAlgorithms, type SigningAlgorithm } from '../../jose/algorithms.js';
import { CLOCK_TOLERANCE } from '../../jose/verify-jwt.js';

/** How requests are signed, which `ciba()` takes as `signed`. CIBA §7.1.1 */
export interface SignedOptions {
  /** Must every request be signed? Default: false, those of clients with `backchannelAuthenticationRequestSigningAlg`. FAPI-CIBA §5.2.2 wants it */
  required?: boolean;
  /** What requests may be signed with. Default: every `SigningAlgorithm` that this Node.js supports */
  algorithms?: readonly SigningAlgorithm[];
  /** Seconds from the `nbf` of a request to its `exp`, at most. Default: 3600, all that FAPI-CIBA §5.2.2 lets it */
  maxLifetime?: number;
  /** Seconds by which the clocks of clients may differ. Default: 10 */
  clockTolerance?: number;
}

/** They, with their defaults. */
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

/** What is wrong with them, as sentences. */
export function* findSignedOptionErrors(options: SignedOptions): Iterable<string> {
  const misspelt = findUnknownOption(options, NAMES, OPTION);
  if (misspelt !== undefined) yield misspelt;
  yield* findFlagErrors(options, ['required'], OPTION);
  const { algorithms = ALGORITHMS }: { algorithms?: unknown } = options;
  if (!areAlgorithms(algorithms)) yield `\`algorithms\` of ${OPTION} must be a list of ${ALGORITHM_NAMES}`;
  for (const name of ['maxLifetime', 'clockTolerance'] as const) {
    const { [name]: seconds } = options;
    const isNumber = typeof seconds === 'number' && seconds >= MIN_SECONDS[name] && seconds <= MAX_SECONDS[name];
    if (seconds !== undefined && !isNumber)
      yield `\`${name}\` of ${OPTION} is a number of seconds, from ${MIN_SECONDS[name]} to ${MAX_SECONDS[name]}`;
  }
}
