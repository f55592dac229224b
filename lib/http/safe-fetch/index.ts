export { FetchError, type FetchErrorKind } from './fetch-error.js';
export type { SentRequest } from './pinned-request.js';
export { type FetchedContent, type FetchedResponse, SafeFetch } from './safe-fetch.js';
export {
  assertFetchOptions,
  findFetchOptionsError,
  type Lookup,
  SAFE_FETCH_OPTIONS,
  type SafeFetchOptions,
} from './safe-fetch-options.js';
