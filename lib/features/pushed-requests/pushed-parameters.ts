import { InvalidRequestError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import { Request } from '../../http/request.js';
import type { PushedParameters, PushedRequest } from './pushed-request.js';

/** How many characters a pushed request may have, as JSON: many times what a request needs. */
const MAX_CHARACTERS = 16_384;

/** What proves who the client is, and is no part of what it asks: it must not be kept. RFC 6749 §2.3, RFC 7521 §4.2 */
const CREDENTIAL_PARAMETERS = new Set(['client_secret', 'client_assertion', 'client_assertion_type', '__proto__']);

/**
 * Reads what a client pushes, known or not: any feature may ask for its parameters later.
 * @throws InvalidRequestError for what is no parameter, or too much
 */
export function readPushedParameters(form: unknown): PushedParameters {
  const parameters: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries((form ?? {}) as Record<string, unknown>)) {
    if (CREDENTIAL_PARAMETERS.has(name) || value === '' || value === undefined || value === null) continue;
    parameters[name] = Array.isArray(value) ? value.map((one) => text(one, name)) : text(value, name);
  }
  if (parameters['request_uri'] !== undefined) {
    throw new InvalidRequestError('Invalid request: `request_uri` cannot be pushed itself');
  }
  if (JSON.stringify(parameters).length <= MAX_CHARACTERS) return parameters;
  throw new InvalidRequestError(`Invalid request: it has more than ${MAX_CHARACTERS} characters`, { code: 413 });
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new InvalidRequestError(`Invalid parameter: \`${shortText(name, 100)}\``);
}

/**
 * A pushed request as the authorization endpoint reads it, for the browser that brings its `request_uri`: nothing else that
 * stands in its URL or its form counts. RFC 9126 §4
 */
export function asRequest({ parameters, requestUri }: Pick<PushedRequest, 'parameters' | 'requestUri'>, from: Request) {
  const query = { ...parameters, request_uri: requestUri };
  return new Request({ headers: from.headers, method: 'GET', query, native: from['native'] as unknown });
}
