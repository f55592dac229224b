export { FetchError, type FetchFault } from './fetch-error.js';
export { type Fetched, SafeFetch } from './safe-fetch.js';
export {
  assertFetchOptions,
  fetchFault,
  type Lookup,
  SAFE_FETCH_OPTIONS,
  type SafeFetchOptions,
} from './safe-fetch-options.js';
