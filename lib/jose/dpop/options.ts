import type { ServerContext } from '../../contracts/feature.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import { isPublicUrl } from '../../http/public-url.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model } from '../../model/model.js';
import { ALGORITHM_NAMES, ALGORITHMS, areAlgorithms, type SigningAlgorithm } from '../algorithms.js';
import { areSecrets } from '../secrets.js';
import { CLOCK_TOLERANCE } from '../verify-jwt.js';

/** What `dpop()` takes. */
export interface DpopOptions {
  /** What a proof may be signed with. Default: every `SigningAlgorithm` that this Node.js supports */
  algorithms?: readonly SigningAlgorithm[];
  /** Seconds after its `iat` in which a proof is good: so long its `jti` is remembered. Default: 60 */
  lifetime?: number;
  /** Seconds by which the clocks of clients may differ. Default: 10 */
  clockTolerance?: number;
  /**
   * By which URL clients know what is at `/` here, or several: proofs for protected resources name it in `htu`. `'request'`: as
   * the request says, which is safe only where whatever stands in front refuses a `Host` that is none of yours. Default: the
   * origin of the resource that the request is for, if a feature names one; otherwise that of the issuer. RFC 9449 §4.3
   */
  publicUrl?: string | readonly string[];
  /** Proofs must bring a nonce that this server has given, at token endpoint and resources. Default: none is asked for. RFC 9449 §8, §9 */
  nonce?: DpopNonceOptions;
}

/** How nonces are made: nothing is kept, and all processes with the secret know them. */
export interface DpopNonceOptions {
  /** 32 characters at least; of a list the first one makes them, and all are good. */
  secret: string | readonly string[];
  /** Seconds after which there is another nonce; each is good for twice as long. Default: 300 */
  lifetime?: number;
}

/** The same, settled. */
export interface DpopSettings {
  algorithms: readonly SigningAlgorithm[];
  lifetime: number;
  clockTolerance: number;
  publicUrls: readonly string[];
}

export const settle = (options: DpopOptions): DpopSettings => ({
  algorithms: options.algorithms ?? ALGORITHMS,
  lifetime: options.lifetime ?? 60,
  clockTolerance: options.clockTolerance ?? CLOCK_TOLERANCE,
  publicUrls: [options.publicUrl ?? []].flat(),
});

const NAMES = { algorithms: true, lifetime: true, clockTolerance: true, publicUrl: true, nonce: true } as const;
const NONCE_NAMES = { secret: true, lifetime: true } as const;
const FEATURE = '`dpop()`';

/** An option that cannot work, as a sentence. */
export const findOptionError = (options: DpopOptions): string | undefined =>
  findOptionErrors(options).next().value ?? undefined;

function* findOptionErrors(options: DpopOptions): Generator<string, undefined> {
  const misspelt = findUnknownOption(options, NAMES, FEATURE);
  if (misspelt !== undefined) yield misspelt;
  const { algorithms = ALGORITHMS, lifetime, clockTolerance, publicUrl, nonce } = options;
  if (!areAlgorithms(algorithms)) {
    yield `\`algorithms\` of ${FEATURE} must be a list of ${ALGORITHM_NAMES}`;
  }
  if (!isSeconds(lifetime, 1)) yield `\`lifetime\` of ${FEATURE} must be a number of seconds, from 1 to 3600`;
  if (!isSeconds(clockTolerance, 0))
    yield `\`clockTolerance\` of ${FEATURE} must be a number of seconds, from 0 to 3600`;
  const odd = ([publicUrl ?? []].flat() as unknown[]).find((url) => url !== 'request' && !isPublicUrl(url));
  if (odd !== undefined) {
    yield `\`publicUrl\` of ${FEATURE} must be an https URL without query and fragment: \`${String(odd)}\` is none`;
  }
  if (nonce !== undefined) yield* findNonceErrors(nonce);
  return undefined;
}

/** What is wrong with the server it stands in, as sentences. */
export function* findConfigurationErrors(
  { publicUrls }: DpopSettings,
  { options, resources }: ServerContext,
): Iterable<string> {
  const { issuer, model } = options;
  if (publicUrls.length === 0 && issuer === undefined && resources.length === 0) {
    yield `${FEATURE} needs to know the URLs that proofs are made for: give the option \`issuer\`, or \`publicUrl\` of ${FEATURE}`;
  }
  const isIssuing = (model as Partial<Model>).saveToken !== undefined;
  if (isIssuing && !hasOnce(model)) yield `${FEATURE} needs the model method \`once()\`: a proof is good once`;
}

function* findNonceErrors(nonce: DpopNonceOptions): Generator<string> {
  const misspelt = findUnknownOption(nonce, NONCE_NAMES, `\`nonce\` of ${FEATURE}`);
  if (misspelt !== undefined) yield misspelt;
  const secrets: unknown[] = [nonce.secret].flat();
  if (!areSecrets(secrets)) {
    yield `\`nonce\` of ${FEATURE} needs a \`secret\` of 32 characters at least`;
  }
  if (!isSeconds(nonce.lifetime, 1))
    yield `\`lifetime\` of a nonce of ${FEATURE} must be a number of seconds, from 1 to 3600`;
}

const isSeconds = (value: unknown, least: number) =>
  value === undefined || (typeof value === 'number' && value >= least && value <= 3600);
