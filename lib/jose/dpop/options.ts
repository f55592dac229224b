import type { ServerContext } from '../../contracts/feature.js';
import { LATE, SECRET, type Secret, secretsOf, SERVER_SECRETS } from '../../contracts/secret.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { optionOf, type OptionRows, optionTable, type SettingsOf } from '../../options/option-table.js';
import { accepts, acceptsOptions, isListOf, secondsFrom } from '../../options/value-checks.js';
import { isPublicUrl } from '../../http/public-url.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model } from '../../model/model.js';
import { ALGORITHMS, SIGNING_ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
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

const FEATURE = '`dpop()`';
const NONCE = `\`nonce\` of ${FEATURE}`;

const NONCE_OPTIONS = optionTable(NONCE, {
  secret: { check: SECRET, unset: LATE },
  lifetime: { check: secondsFrom(1, 3600) },
} satisfies OptionRows<DpopNonceOptions>);

const isUrl = (value: unknown) => value === 'request' || isPublicUrl(value);

/** The options of `dpop()`: validation and defaults. */
export const DPOP_OPTIONS = optionTable(FEATURE, {
  algorithms: { check: SIGNING_ALGORITHMS, default: ALGORITHMS },
  lifetime: { check: secondsFrom(1, 3600), default: 60 },
  clockTolerance: { check: secondsFrom(0, 3600), default: CLOCK_TOLERANCE },
  publicUrl: {
    check: accepts(
      "'request' or an https URL without query and fragment, or a list of these",
      (value) => isUrl(value) || isListOf(value, isUrl),
    ),
    default: [],
  },
  nonce: { check: acceptsOptions<DpopNonceOptions>(NONCE_OPTIONS) },
} satisfies OptionRows<DpopOptions>);

/** The options of `dpop()` with their defaults. */
export type DpopSettings = SettingsOf<DpopOptions, typeof DPOP_OPTIONS>;

/** Yields an error message for each reason why `dpop()` cannot work on its server. */
export function* findConfigurationErrors(
  { publicUrl }: DpopSettings,
  { options, resources }: ServerContext,
): Iterable<string> {
  const { issuer, model } = options;
  if (publicUrl.length === 0 && issuer === undefined && resources.length === 0) {
    yield `${FEATURE} cannot determine the URLs that proofs are made for. Set the option \`issuer\`, or \`publicUrl\` of ${FEATURE}`;
  }
  const isIssuing = (model as Partial<Model>).saveToken !== undefined;
  if (isIssuing && !hasOnce(model)) yield `${FEATURE} requires the model method \`once()\` to detect replayed proofs`;
}

/**
 * Returns the secrets that nonces are derived from, the newest first.
 * @throws {InvalidArgumentError} If neither `nonce` nor the module has a valid secret.
 */
export function nonceSecrets({ secret }: DpopNonceOptions, server: ServerContext): readonly string[] {
  const secrets =
    secret === undefined ? server.find(SERVER_SECRETS) : secretsOf(secret, optionOf('secret', NONCE), server);
  assertConfig(secrets, NO_SECRET);
  return secrets;
}

const NO_SECRET = `${NONCE} requires a secret: set the option \`secret\` of the module, which is its default, or \`nonce.secret\` of ${FEATURE}`;
