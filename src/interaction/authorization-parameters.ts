import type { NativeRequest } from '../http/http-adapter.js';
import { PROMPT_STATE_PARAMETER } from './prompt-state.js';

/** An authorization request as it stands in the URL. */
export interface AuthorizationParameters {
  query: Record<string, unknown>;
  /** Path and query that bring the request back, as they came here. */
  url: string;
  /** That its user was sent to sign in, if it says so. */
  promptState?: string | undefined;
}

/** What a form says about the decision, or a link might: never part of the request itself. */
const NOT_PART = new Set(['allowed', 'decision', 'ticket', PROMPT_STATE_PARAMETER]);

/**
 * Reads the parameters of an authorization request from its URL alone, so that the form of a consent page cannot say
 * otherwise than what was shown. Only a request that came as a form itself is read from there. RFC 6749 §3.1
 */
export function readAuthorizationParameters(native: NativeRequest): AuthorizationParameters {
  const { url, ticket } = splitPromptState(localUrl(native.originalUrl ?? native.url ?? '/'));
  const form = record(native.body);
  const query = record(native.query);
  if (native.method !== 'POST' || 'client_id' in query || !('client_id' in form))
    return { query, url, promptState: ticket };
  const [path] = url.split('?', 1);
  return { query: form, url: `${path}?${new URLSearchParams(pairs(form)).toString()}` };
}

/** Only of the address: no form brings one. */
function splitPromptState(whole: string): { url: string; ticket?: string | undefined } {
  const ticket = PROMPT_STATE.exec(whole)?.[1];
  return { url: whole.replaceAll(PROMPT_STATE, ''), ticket };
}

const PROMPT_STATE = new RegExp(`&${PROMPT_STATE_PARAMETER}=([^&#]*)`, 'g');

/** Stands for a parameter that is neither text nor a list of texts, as JSON bodies and some query parsers have it: it is invalid. */
const INVALID_VALUE = Object.freeze({});

/** Longer than any list of values that is valid. */
const MAX_VALUES = 100;

/** Reads the parameters without any nested value, so that it is safe to print and to compare them. */
function record(parameters: unknown): Record<string, unknown> {
  if (typeof parameters !== 'object' || parameters === null) return {};
  const entries = Object.entries(parameters).filter(([name]) => !NOT_PART.has(name));
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

/** A request line may name another host, or begin with two slashes: a browser sent there would leave this server. */
function localUrl(url: string): string {
  return `/${url.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '').replace(/^[/\\]+/, '')}`;
}
