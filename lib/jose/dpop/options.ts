import type { ServerContext } from '../../contracts/feature.js';
import { findSecretError, type Secret, secretsOf, SERVER_SECRETS } from '../../contracts/secret.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import { isPublicUrl } from '../../http/public-url.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model } from '../../model/model.js';
import { ALGORITHM_NAMES, ALGORITHMS, areAlgorithms, type SigningAlgorithm } from '../algorithms.js';
import { CLOCK_TOLERANCE } from '../verify-jwt.js';

/** The options of `dpop()`. */
export interface DpopOptions {
  /** The accepted signature algorithms of proofs. Default: every `SigningAlgorithm` that this Node.js supports. */
  algorithms?: readonly SigningAlgorithm[];
  /** Seconds for which a proof is valid after its `iat`. Its `jti` is remembered for as long. Default: `60`. */
  lifetime?: number;
  /** The accepted clock skew of clients, in seconds. Default: `10`. */
  clockTolerance?: number;
  /**
   * The public base URL of this server, or several. The `htu` of proofs for protected resources must be this URL with
   * the path of the request. `'request'` uses the URL of the request: only behind a proxy that rejects unknown `Host`
   * headers. If omitted, the origin of the requested resource if a feature defines it, otherwise the origin of the
   * issuer. RFC 9449 §4.3
   */
  publicUrl?: string | readonly string[];
  /**
   * Requires proofs to contain a nonce that this server has issued, at the token endpoint and at resources. If omitted,
   * no nonce is required. RFC 9449 §8, §9
   */
  nonce?: DpopNonceOptions;
}

/**
 * The options for DPoP nonces. Nonces are derived from a secret: nothing is stored, and all processes with the secret
 * accept them.
 */
export interface DpopNonceOptions {
  /**
   * The secret, at least 32 characters long. In a list, the first secret creates nonces, and all secrets verify them. A
   * function is called when the server is made. Default: the option `secret` of the module.
   */
  secret?: Secret;
  /** Seconds after which a new nonce is issued. Each nonce is accepted for twice as long. Default: `300`. */
  lifetime?: number;
}

/** The options of `dpop()` with their defaults. */
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
const NONCE_SECRET = `\`nonce.secret\` of ${FEATURE}`;

/** Returns the error message for the first invalid option, or `undefined` if all options are valid. */
export const findOptionError = (options: DpopOptions): string | undefined =>
  findOptionErrors(options).next().value ?? undefined;

function* findOptionErrors(options: DpopOptions): Generator<string, undefined> {
  const unknownOption = findUnknownOption(options, NAMES, FEATURE);
  if (unknownOption !== undefined) yield unknownOption;
  const { algorithms = ALGORITHMS, lifetime, clockTolerance, publicUrl, nonce } = options;
  if (!areAlgorithms(algorithms)) {
    yield `\`algorithms\` of ${FEATURE} must be a list of ${ALGORITHM_NAMES}`;
  }
  if (!isSeconds(lifetime, 1)) yield `\`lifetime\` of ${FEATURE} must be a number of seconds, from 1 to 3600`;
  if (!isSeconds(clockTolerance, 0))
    yield `\`clockTolerance\` of ${FEATURE} must be a number of seconds, from 0 to 3600`;
  const invalidUrl = ([publicUrl ?? []].flat() as unknown[]).find((url) => url !== 'request' && !isPublicUrl(url));
  if (invalidUrl !== undefined) {
    yield `\`publicUrl\` of ${FEATURE} must be 'request' or an https URL without query and fragment. Got \`${String(invalidUrl)}\``;
  }
  if (nonce !== undefined) yield* findNonceErrors(nonce);
  return undefined;
}

/** Yields an error message for each reason why `dpop()` cannot work on its server. */
export function* findConfigurationErrors(
  { publicUrls }: DpopSettings,
  { options, resources }: ServerContext,
): Iterable<string> {
  const { issuer, model } = options;
  if (publicUrls.length === 0 && issuer === undefined && resources.length === 0) {
    yield `${FEATURE} cannot determine the URLs that proofs are made for. Set the option \`issuer\`, or \`publicUrl\` of ${FEATURE}`;
  }
  const isIssuing = (model as Partial<Model>).saveToken !== undefined;
  if (isIssuing && !hasOnce(model)) yield `${FEATURE} requires the model method \`once()\` to detect replayed proofs`;
}

function* findNonceErrors(nonce: DpopNonceOptions): Generator<string> {
  const unknownOption = findUnknownOption(nonce, NONCE_NAMES, `\`nonce\` of ${FEATURE}`);
  if (unknownOption !== undefined) yield unknownOption;
  const secretError = 'secret' in nonce ? findSecretError(nonce.secret, NONCE_SECRET) : undefined;
  if (secretError !== undefined) yield secretError;
  if (!isSeconds(nonce.lifetime, 1))
    yield `\`lifetime\` in \`nonce\` of ${FEATURE} must be a number of seconds, from 1 to 3600`;
}

/**
 * Returns the secrets that nonces are derived from, the newest first.
 * @throws {InvalidArgumentError} If neither `nonce` nor the module has a valid secret.
 */
export function nonceSecrets({ secret }: DpopNonceOptions, server: ServerContext): readonly string[] {
  const secrets = secret === undefined ? server.find(SERVER_SECRETS) : secretsOf(secret, NONCE_SECRET, server);
  assertConfig(secrets, NO_SECRET);
  return secrets;
}

const NO_SECRET = `\`nonce\` of ${FEATURE} requires a secret: set the option \`secret\` of the module, which is its default, or \`nonce.secret\` of ${FEATURE}`;

const isSeconds = (value: unknown, min: number) =>
  value === undefined || (typeof value === 'number' && value >= min && value <= 3600);
