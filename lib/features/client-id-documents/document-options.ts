import type { ServerContext } from '../../contracts/feature.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { Awaitable, Falsy } from '../../model/model.js';
import {
  clientPolicy,
  type ClientPolicyOptions,
  POLICY_OPTIONS,
  findPolicyErrors,
} from '../../clients/registration/client-policy.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { accepts, FETCH, oneOfTexts, SECONDS_FROM_0 } from '../../options/value-checks.js';
import { isClientIdUrl } from './client-id-url.js';
import { documentPolicy, readDocument } from './read-document.js';

/** The options of `clientIdDocuments()`. */
export interface ClientIdDocumentOptions extends ClientPolicyOptions {
  /**
   * Which redirect URIs a document may contain. `any`: all, and the consent page warns of redirect URIs at another
   * origin. `own`: only redirect URIs at the origin of the document, and loopback addresses. Default: `any`. CIMD §8.1
   */
  redirects?: 'any' | 'own';
  /**
   * Metadata documents that are used as given and not fetched, for documents that this server cannot fetch. Some hosts
   * respond with 403 to requests from data centers. Each document contains its URL as `client_id`. If the client
   * changes its document, update the copy. Default: none.
   */
  pinned?: readonly PinnedDocument[];
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

/** A client ID metadata document, as parsed JSON. CIMD §4 */
export type PinnedDocument = Readonly<Record<string, unknown>>;

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

const NAME = '`clientIdDocuments()`';

const OPTIONS = optionTable(NAME, {
  ...POLICY_OPTIONS,
  redirects: { check: oneOfTexts('any', 'own'), default: 'any' },
  pinned: { check: accepts('a list of metadata documents', Array.isArray), default: [] },
  minAge: { check: SECONDS_FROM_0, default: 60 },
  maxAge: { check: SECONDS_FROM_0, default: 86_400 },
  outage: { check: SECONDS_FROM_0, default: 86_400 },
  pause: { check: SECONDS_FROM_0, default: 5 },
  size: {
    check: accepts('a whole number of documents, 1 or more', (value) => Number.isInteger(value) && Number(value) > 0),
    default: 1000,
  },
  fetch: { check: FETCH },
} satisfies OptionRows<ClientIdDocumentOptions>);

/** Returns the options of `clientIdDocuments()`, with their defaults. */
export const documentSettings = (options: ClientIdDocumentOptions) => OPTIONS.settle(options);

/** Yields the configuration errors in the options of `clientIdDocuments()`. */
export function* documentErrors(options: ClientIdDocumentOptions, server: ServerContext): Iterable<string> {
  yield* OPTIONS.findErrors(options);
  const { pinned, minAge, maxAge } = documentSettings(options);
  if (minAge > maxAge) yield `\`minAge\` of ${NAME} must not exceed its \`maxAge\``;
  yield* findPolicyErrors(options, server, NAME);
  if (Array.isArray(pinned)) yield* pinned.flatMap((document: unknown) => pinnedError(document, options, server));
}

/** Returns the configuration error of a pinned document, in a list. The list is empty if the document is valid. */
function pinnedError(document: unknown, options: ClientIdDocumentOptions, server: ServerContext): string[] {
  const members = (document ?? {}) as Record<string, unknown>;
  const { client_id: url } = members;
  if (typeof url !== 'string' || !isClientIdUrl(url)) {
    return [`Each document in \`pinned\` of ${NAME} must be an object whose \`client_id\` is its URL`];
  }
  const { redirects } = documentSettings(options);
  try {
    readDocument(url, members, { policy: documentPolicy(clientPolicy(options, server)), redirects });
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'invalid document';
    return [`The document \`${url}\` in \`pinned\` of ${NAME} cannot be used. ${reason}`];
  }
}
