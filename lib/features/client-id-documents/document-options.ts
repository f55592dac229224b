import type { ServerContext } from '../../contracts/feature.js';
import { findFetchOptionsError, SAFE_FETCH_OPTIONS, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { Awaitable, Falsy } from '../../model/model.js';
import {
  type ClientPolicyOptions,
  POLICY_OPTIONS,
  findPolicyErrors,
} from '../../clients/registration/client-policy.js';
import { findUnknownOption } from '../../options/unknown-option.js';

/** How clients are found by the documents that describe them. */
export interface ClientIdDocumentOptions extends ClientPolicyOptions {
  /**
   * Where answers may go: `any` of what the document lists, and the consent page warns of what is elsewhere, or
   * `own`, to the origin of the document and to loopback addresses. Default: `any`. CIMD §8.1
   */
  redirects?: 'any' | 'own';
  /** Seconds for which a document is good at least, whatever its headers say. Default: 60 */
  minAge?: number;
  /** Seconds for which it is good at most. Default: 86 400 */
  maxAge?: number;
  /** Seconds for which it is good beyond that, as long as its host does not answer. Default: 86 400 */
  outage?: number;
  /** Seconds in which a document is not fetched again that could not be fetched, or was no good. Default: 5 */
  pause?: number;
  /** How many documents are kept in the memory of the process. Default: 1000 */
  size?: number;
  /** How documents are fetched, and from where. */
  fetch?: SafeFetchOptions;
}

/** Says which documents are fetched. */
export interface ClientIdDocumentModel {
  /**
   * May a client be known by the document at this URL? Asked before anything is fetched, for who has proven nothing: only of
   * clients that `getClient()` does not find. Left out: all may. CIMD §8.9
   */
  mayUseClientIdDocument?(clientId: string): Awaitable<boolean | Falsy>;
}

/** Seconds after which a document that says nothing of its age is fetched again. */
export const DEFAULT_AGE = 300;

/** Those of a feature, with their defaults. */
export const documentSettings = (given: ClientIdDocumentOptions) => ({ ...DEFAULTS, ...given });

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

/** What is wrong with how a host has set it up, as sentences. */
export function* documentErrors(given: ClientIdDocumentOptions, server: ServerContext): Iterable<string> {
  const misspelt =
    findUnknownOption(given, NAMES, NAME) ??
    findUnknownOption(given.fetch ?? {}, SAFE_FETCH_OPTIONS, `\`fetch\` of ${NAME}`);
  if (misspelt !== undefined) yield misspelt;
  const { redirects, size, ...seconds } = documentSettings(given);
  if (redirects !== 'any' && redirects !== 'own') yield `\`redirects\` of ${NAME} is \`any\` or \`own\``;
  if (!(Number.isInteger(size) && size > 0)) yield `\`size\` of ${NAME} is a number of documents, above 0`;
  for (const name of ['minAge', 'maxAge', 'outage', 'pause'] as const) {
    if (!(seconds[name] >= 0 && seconds[name] < 2 ** 31))
      yield `\`${name}\` of ${NAME} is a number of seconds, 0 or more`;
  }
  if (seconds.minAge > seconds.maxAge) yield `\`minAge\` of ${NAME} is no more than its \`maxAge\``;
  const fault = findFetchOptionsError(given.fetch);
  if (fault !== undefined) yield fault;
  yield* findPolicyErrors(given, server, NAME);
}
