import type { NativeRequest } from '../http/http-adapter.js';
import { PROMPT_STATE_PARAMETER } from './prompt-state.js';

/** The parameters of an authorization request, and the URL that repeats it. */
export interface AuthorizationParameters {
  query: Record<string, unknown>;
  /** The path and query that repeat the authorization request. */
  url: string;
  /** The signed state in the URL which shows that the user was sent to sign in for this request. */
  promptState?: string | undefined;
}

/** Parameters that a consent form or a link may add. They are not part of the authorization request. */
const NOT_IN_REQUEST = new Set([
  'allowed',
  'choice',
  'decision',
  'granted_scope',
  'csrf_token',
  PROMPT_STATE_PARAMETER,
]);

/**
 * Reads the parameters of an authorization request from its URL, so that a consent form cannot change the request that
 * the user has seen. Parameters in the content are read only if the request itself was sent as a form. RFC 6749 §3.1
 */
export function readAuthorizationParameters(native: NativeRequest): AuthorizationParameters {
  const { url, promptState } = splitPromptState(localUrl(native.originalUrl ?? native.url ?? '/'));
  const form = withoutNestedValues(native.body);
  const query = withoutNestedValues(native.query);
  if (native.method !== 'POST' || 'client_id' in query || !('client_id' in form)) return { query, url, promptState };
  const [path] = url.split('?', 1);
  return { query: form, url: `${path}?${new URLSearchParams(pairs(form)).toString()}` };
}

/** Separates the signed prompt state from a URL. It is read only from the URL, never from a form. */
function splitPromptState(whole: string): { url: string; promptState?: string | undefined } {
  const promptState = PROMPT_STATE.exec(whole)?.[1];
  return { url: whole.replaceAll(PROMPT_STATE, ''), promptState };
}

const PROMPT_STATE = new RegExp(`&${PROMPT_STATE_PARAMETER}=([^&#]*)`, 'g');

/**
 * Replaces a parameter that is neither text nor a list of texts, such as a nested value of a JSON body. It fails the
 * validation.
 */
const INVALID_VALUE = Object.freeze({});

/** Maximum number of values per parameter. No valid list is longer. */
const MAX_VALUES = 100;

/** Returns the parameters without nested values, so that they are safe to print and to compare. */
function withoutNestedValues(parameters: unknown): Record<string, unknown> {
  if (typeof parameters !== 'object' || parameters === null) return {};
  const entries = Object.entries(parameters).filter(([name]) => !NOT_IN_REQUEST.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, flatValue(value)]));
}

const flatValue = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.slice(0, MAX_VALUES).map((one) => (isText(one) ? one : INVALID_VALUE))
    : isText(value) || value === undefined || value === null
      ? value
      : INVALID_VALUE;

const isText = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

function pairs(query: Record<string, unknown>): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter(isText)
      .map((one): [string, string] => [name, String(one)]),
  );
}

/**
 * Returns a URL without scheme and host, and with a single leading slash. A request line may contain another host or
 * start with two slashes, and a redirect to it would leave this server (open redirect).
 */
function localUrl(url: string): string {
  return `/${url.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '').replace(/^[/\\]+/, '')}`;
}
