import type { ServerContext } from '../../contracts/feature.js';
import { findFetchOptionsError, SAFE_FETCH_OPTIONS, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { Awaitable, Falsy } from '../../model/model.js';
import {
  type ClientPolicyOptions,
  POLICY_OPTIONS,
  findPolicyErrors,
} from '../../clients/registration/client-policy.js';
import { findUnknownOption } from '../../options/unknown-option.js';

/** The options of `clientIdDocuments()`. */
export interface ClientIdDocumentOptions extends ClientPolicyOptions {
  /**
   * Which redirect URIs a document may contain. `any`: all, and the consent page warns of redirect URIs at another
   * origin. `own`: only redirect URIs at the origin of the document, and loopback addresses. Default: `any`. CIMD §8.1
   */
  redirects?: 'any' | 'own';
  /** Minimum lifetime of a document in the cache, in seconds, whatever its headers say. Default: `60`. */
  minAge?: number;
  /** Maximum lifetime of a document in the cache, in seconds. Default: `86400`. */
  maxAge?: number;
  /** Seconds after its lifetime for which a document is still used if it cannot be fetched again. Default: `86400`. */
  outage?: number;
  /** Seconds after a failed fetch, or an invalid document, in which the document is not fetched again. Default: `5`. */
  pause?: number;
  /** Maximum number of documents in the memory of the process. Default: `1000`. */
  size?: number;
  /**
   * Options for fetching documents, such as `timeout`. If omitted, documents are fetched from public addresses only.
   */
  fetch?: SafeFetchOptions;
}

/** A model that decides which client ID metadata documents are fetched. */
export interface ClientIdDocumentModel {
  /**
   * Decides whether the client with this URL as client ID may be used. Called before the document is fetched, for
   * clients that `getClient()` does not find. The client is not authenticated at that time. If omitted, all URLs are
   * allowed. CIMD §8.9
   */
  mayUseClientIdDocument?(clientId: string): Awaitable<boolean | Falsy>;
}

/** Lifetime in seconds of a document whose headers do not determine it. */
export const DEFAULT_AGE = 300;

/** Returns the options of `clientIdDocuments()`, with their defaults. */
export const documentSettings = (options: ClientIdDocumentOptions) => ({ ...DEFAULTS, ...options });

const DEFAULTS = { redirects: 'any', minAge: 60, maxAge: 86_400, outage: 86_400, pause: 5, size: 1000 } as const;

const NAMES = {
  ...POLICY_OPTIONS,
  redirects: true,
  minAge: true,
  maxAge: true,
  outage: true,
  pause: true,
  size: true,
  fetch: true,
} as const;

const NAME = '`clientIdDocuments()`';

/** Yields the configuration errors in the options of `clientIdDocuments()`. */
export function* documentErrors(options: ClientIdDocumentOptions, server: ServerContext): Iterable<string> {
  const unknown =
    findUnknownOption(options, NAMES, NAME) ??
    findUnknownOption(options.fetch ?? {}, SAFE_FETCH_OPTIONS, `\`fetch\` of ${NAME}`);
  if (unknown !== undefined) yield unknown;
  const { redirects, size, ...seconds } = documentSettings(options);
  if (redirects !== 'any' && redirects !== 'own') yield `\`redirects\` of ${NAME} must be \`any\` or \`own\``;
  if (!(Number.isInteger(size) && size > 0)) yield `\`size\` of ${NAME} must be a whole number of documents, 1 or more`;
  for (const name of ['minAge', 'maxAge', 'outage', 'pause'] as const) {
    if (!(seconds[name] >= 0 && seconds[name] < 2 ** 31))
      yield `\`${name}\` of ${NAME} must be a number of seconds, 0 or more`;
  }
  if (seconds.minAge > seconds.maxAge) yield `\`minAge\` of ${NAME} must not exceed its \`maxAge\``;
  const fetchError = findFetchOptionsError(options.fetch);
  if (fetchError !== undefined) yield fetchError;
  yield* findPolicyErrors(options, server, NAME);
}
