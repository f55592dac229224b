import type { NativeRequest } from '../http-adapter.js';
import { PROMPT_TICKET } from './prompt-ticket.js';

/** An authorization request as it stands in the URL. */
export interface AuthorizationParameters {
  query: Record<string, unknown>;
  /** Path and query that bring the request back, as they came here. */
  url: string;
  /** That its user was sent to sign in, if it says so. */
  ticket?: string | undefined;
}

/** What a form says about the decision, or a link might: never part of the request itself. */
const NOT_PART = new Set(['allowed', 'decision', 'ticket', PROMPT_TICKET]);

/**
 * Reads the parameters of an authorization request from its URL alone, so that the form of a consent page cannot say
 * otherwise than what was shown. Only a request that came as a form itself is read from there. RFC 6749 §3.1
 */
export function readAuthorizationParameters(native: NativeRequest): AuthorizationParameters {
  const { url, ticket } = withoutTicket(localUrl(native.originalUrl ?? native.url ?? '/'));
  const form = record(native.body);
  const query = record(native.query);
  if (native.method !== 'POST' || 'client_id' in query || !('client_id' in form)) return { query, url, ticket };
  const [path] = url.split('?', 1);
  return { query: form, url: `${path}?${new URLSearchParams(pairs(form)).toString()}` };
}

/** Only of the address: no form brings one. */
function withoutTicket(whole: string): { url: string; ticket?: string | undefined } {
  const ticket = TICKET.exec(whole)?.[1];
  return { url: whole.replaceAll(TICKET, ''), ticket };
}

const TICKET = new RegExp(`&${PROMPT_TICKET}=([^&#]*)`, 'g');

function record(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => !NOT_PART.has(name)));
}

function pairs(query: Record<string, unknown>): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
}

/** A request line may name another host, or begin with two slashes: a browser sent there would leave this server. */
function localUrl(url: string): string {
  return `/${url.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '').replace(/^[/\\]+/, '')}`;
}
