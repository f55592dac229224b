import type { ServerContext } from '../../contracts/feature.js';
import { type OptionRows, optionTable, type SettingsOf } from '../../options/option-table.js';
import { FETCH, FLAG, POSITIVE_TIMER_SECONDS, TIMER_SECONDS } from '../../options/value-checks.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { hasOnce } from '../../model/has-once.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { ALGORITHMS, SIGNING_ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import { findKeys } from '../keys/find-keys.js';
import { CLOCK_TOLERANCE } from '../verify-jwt.js';
import {
  ENCRYPTED,
  type EncryptedObjectOptions,
  type EncryptedObjectSettings,
  settleEncrypted,
} from './encrypted-objects.js';

/** The options of `requestObjects()`. */
export interface RequestObjectOptions {
  /**
   * Whether every authorization request must be signed. If `false`, only requests of clients with
   * `requireSignedRequestObject` must be. Default: `false`. RFC 9101 §10.5
   */
  required?: boolean;
  /** Whether a request object may be fetched from a `request_uri` that the client has registered. Default: `true`. */
  byReference?: boolean;
  /**
   * The accepted signature algorithms of request objects. Default: every `SigningAlgorithm` that this Node.js supports.
   */
  algorithms?: readonly SigningAlgorithm[];
  /**
   * Maximum number of seconds from `nbf` to `exp`. If set, a request object must contain both claims. If omitted, both
   * claims are optional, and their distance is not limited. FAPI 2.0 Message Signing §5.3.1 requires `3600`.
   */
  maxLifetime?: number;
  /**
   * Whether each request object can be used for one decision of the user only, identified by its `jti`. Requires
   * `maxLifetime`. Default: `false`.
   */
  once?: boolean;
  /** The accepted clock skew of clients, in seconds. Default: `10`. */
  clockTolerance?: number;
  /**
   * Seconds after `exp` in which a request that was opened in time may still be decided, for example after a login.
   * Default: `1800`.
   */
  interactionLifetime?: number;
  /**
   * Whether clients may encrypt their signed request objects to this server. Requires `keys()`, which has the
   * decryption keys. Default: `false`. RFC 9101 §6.1
   */
  encrypted?: boolean | EncryptedObjectOptions;
  /**
   * How request objects, and the keys at the `jwks_uri` of a client, are fetched. Default: from public addresses only.
   */
  fetch?: SafeFetchOptions;
}

const FEATURE = '`requestObjects()`';
const OPTIONS = optionTable(FEATURE, {
  required: { check: FLAG, default: false },
  byReference: { check: FLAG, default: true },
  algorithms: { check: SIGNING_ALGORITHMS, default: ALGORITHMS },
  maxLifetime: { check: POSITIVE_TIMER_SECONDS },
  once: { check: FLAG, default: false },
  clockTolerance: { check: TIMER_SECONDS, default: CLOCK_TOLERANCE },
  interactionLifetime: { check: TIMER_SECONDS, default: 1800 },
  encrypted: { check: ENCRYPTED, default: false },
  fetch: { check: FETCH, default: {} },
} satisfies OptionRows<RequestObjectOptions>);

/** The options of `requestObjects()` with their defaults, validated. */
export interface RequestObjectSettings extends Omit<SettingsOf<RequestObjectOptions, typeof OPTIONS>, 'encrypted'> {
  /** The options for encrypted request objects. If `undefined`, encrypted request objects are rejected. */
  encrypted: EncryptedObjectSettings | undefined;
}

/**
 * Validates the options of `requestObjects()` and applies the defaults.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function settle(given: RequestObjectOptions): RequestObjectSettings {
  const settings = OPTIONS.read(given);
  assertConfig(
    !settings.once || settings.maxLifetime !== undefined,
    `\`once\` of ${FEATURE} requires \`maxLifetime\`, which limits how long used request objects are remembered`,
  );
  return { ...settings, encrypted: settleEncrypted(settings.encrypted) };
}

/** Yields an error message for each reason why `requestObjects()` cannot work on its server. */
export function* findConfigurationErrors(
  server: ServerContext,
  { encrypted, once }: RequestObjectSettings,
): Iterable<string> {
  const { issuer, model } = server.options;
  if (encrypted && !findKeys(server))
    yield `\`encrypted\` of ${FEATURE} requires decryption keys. Add \`keys()\` to the \`features\``;
  if (issuer === undefined) yield `${FEATURE} requires the option \`issuer\`, the audience of request objects`;
  if (once && !hasOnce(model)) yield `\`once\` of ${FEATURE} requires the model method \`once()\``;
}
