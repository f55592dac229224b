import type { ServerContext } from '../../contracts/feature.js';
import { findFlagErrors } from '../../options/flag-errors.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import { assertFetchOptions, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { hasOnce } from '../../model/has-once.js';
import { assertConfig, configurationError } from '../../errors/configuration-error.js';
import { readSeconds } from '../../remote/option-readers.js';
import { ALGORITHM_NAMES, ALGORITHMS, areAlgorithms, type SigningAlgorithm } from '../algorithms.js';
import { findKeys } from '../keys/find-keys.js';
import { CLOCK_TOLERANCE } from '../verify-jwt.js';
import { type EncryptedObjectOptions, type EncryptedObjectSettings, settleEncrypted } from './encrypted-objects.js';

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

/** The options of `requestObjects()` with their defaults, validated. */
export interface RequestObjectSettings extends Required<
  Omit<RequestObjectOptions, 'maxLifetime' | 'encrypted' | 'fetch'>
> {
  maxLifetime: number | undefined;
  /** The options for encrypted request objects. If `undefined`, encrypted request objects are rejected. */
  encrypted: EncryptedObjectSettings | undefined;
  fetch: SafeFetchOptions;
}

const FEATURE = '`requestObjects()`';

/**
 * Validates the options of `requestObjects()` and applies the defaults.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function settle(given: RequestObjectOptions): RequestObjectSettings {
  assertKnownOptions(given, NAMES, FEATURE);
  assertFetchOptions(given.fetch);
  for (const error of findFlagErrors(given, ['required', 'byReference', 'once'], FEATURE))
    throw configurationError(error);
  const {
    required = false,
    byReference = true,
    algorithms = ALGORITHMS,
    once = false,
    maxLifetime,
    fetch = {},
  } = given;
  assertConfig(areAlgorithms(algorithms), `\`algorithms\` of ${FEATURE} must be a list of ${ALGORITHM_NAMES}`);
  assertConfig(
    !once || maxLifetime !== undefined,
    `\`once\` of ${FEATURE} requires \`maxLifetime\`, which limits how long used request objects are remembered`,
  );
  return {
    required,
    byReference,
    algorithms,
    once,
    maxLifetime:
      maxLifetime === undefined
        ? undefined
        : readSeconds(FEATURE, 'maxLifetime', maxLifetime, { defaultValue: 3600, minimum: 1 }),
    clockTolerance: readSeconds(FEATURE, 'clockTolerance', given.clockTolerance, { defaultValue: CLOCK_TOLERANCE }),
    interactionLifetime: readSeconds(FEATURE, 'interactionLifetime', given.interactionLifetime, { defaultValue: 1800 }),
    encrypted: settleEncrypted(given.encrypted ?? false),
    fetch,
  };
}

const NAMES = {
  required: true,
  byReference: true,
  algorithms: true,
  maxLifetime: true,
  once: true,
  clockTolerance: true,
  interactionLifetime: true,
  encrypted: true,
  fetch: true,
} as const;

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
