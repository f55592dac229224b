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

/** What `requestObjects()` takes. */
export interface RequestObjectOptions {
  /**
   * Must every authorization request be signed? Default: false, those of clients with `requireSignedRequestObject`. RFC 9101 §10.5
   */
  required?: boolean;
  /** May a request object be fetched from a `request_uri`, one that the client has registered? Default: true */
  byReference?: boolean;
  /** What request objects may be signed with. Default: every `SigningAlgorithm` that this Node.js supports */
  algorithms?: readonly SigningAlgorithm[];
  /**
   * Seconds: then each says `nbf` and `exp`, the one so long ago at most, the other so long after it. Default: both may be left
   * out. FAPI 2.0 Message Signing §5.3.1 wants 3600
   */
  maxLifetime?: number;
  /** Is each good for one decision alone, by its `jti`? Needs `maxLifetime`. Default: false */
  once?: boolean;
  /** Seconds by which the clocks of clients may differ. Default: 10 */
  clockTolerance?: number;
  /** Seconds after its `exp` in which what was opened in time may still be decided: a login takes its time. Default: 1800 */
  interactionLifetime?: number;
  /**
   * May request objects be encrypted to this server, once they are signed? Needs `keys()`, which has the keys for that. Default: false.
   * RFC 9101 §6.1
   */
  encrypted?: boolean | EncryptedObjectOptions;
  /** How request objects, and the keys at the `jwks_uri` of a client, are fetched. Default: public addresses alone */
  fetch?: SafeFetchOptions;
}

/** The same, settled and checked. */
export interface RequestObjectSettings extends Required<
  Omit<RequestObjectOptions, 'maxLifetime' | 'encrypted' | 'fetch'>
> {
  maxLifetime: number | undefined;
  /** Undefined: they may not. */
  encrypted: EncryptedObjectSettings | undefined;
  fetch: SafeFetchOptions;
}

const FEATURE = '`requestObjects()`';

/** @throws InvalidArgumentError with a sentence for what cannot work */
export function settle(given: RequestObjectOptions): RequestObjectSettings {
  assertKnownOptions(given, NAMES, FEATURE);
  assertFetchOptions(given.fetch);
  for (const fault of findFlagErrors(given, ['required', 'byReference', 'once'], FEATURE))
    throw configurationError(fault);
  const {
    required = false,
    byReference = true,
    algorithms = ALGORITHMS,
    once = false,
    maxLifetime,
    fetch = {},
  } = given;
  assertConfig(areAlgorithms(algorithms), `${FEATURE} takes as \`algorithms\` a list of ${ALGORITHM_NAMES}`);
  assertConfig(
    !once || maxLifetime !== undefined,
    `${FEATURE} needs \`maxLifetime\` with \`once\`: so long it remembers them`,
  );
  return {
    required,
    byReference,
    algorithms,
    once,
    maxLifetime:
      maxLifetime === undefined
        ? undefined
        : readSeconds(FEATURE, 'maxLifetime', maxLifetime, { usual: 3600, least: 1 }),
    clockTolerance: readSeconds(FEATURE, 'clockTolerance', given.clockTolerance, { usual: CLOCK_TOLERANCE }),
    interactionLifetime: readSeconds(FEATURE, 'interactionLifetime', given.interactionLifetime, { usual: 1800 }),
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

/** What is wrong with its server. */
export function* findConfigurationErrors(
  server: ServerContext,
  { encrypted, once }: RequestObjectSettings,
): Iterable<string> {
  const { issuer, model } = server.options;
  if (encrypted && !findKeys(server))
    yield `${FEATURE} needs keys to decrypt by: list \`keys()\` among the \`features\``;
  if (issuer === undefined) yield `${FEATURE} needs the option \`issuer\`, which request objects are made for`;
  if (once && !hasOnce(model)) yield `\`once\` of ${FEATURE} needs the model method \`once()\``;
}
