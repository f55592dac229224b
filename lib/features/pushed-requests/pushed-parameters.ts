import { InvalidRequestError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import { Request } from '../../http/request.js';
import type { PushedParameters, PushedRequest } from './pushed-request.js';

/** Maximum size of a pushed request as JSON, in characters. Usual requests are much smaller. */
const MAX_CHARACTERS = 16_384;

/** Parameters for client authentication, which must not be stored with the request. RFC 6749 §2.3, RFC 7521 §4.2 */
const CREDENTIAL_PARAMETERS = new Set(['client_secret', 'client_assertion', 'client_assertion_type', '__proto__']);

/**
 * Returns the parameters of a pushed request, without client credentials and empty values. Unknown parameters are kept,
 * because features may read them later.
 * @throws {InvalidRequestError} If a parameter is not text, if `request_uri` is pushed, or if the request is too large.
 */
export function readPushedParameters(form: unknown): PushedParameters {
  const parameters: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries((form ?? {}) as Record<string, unknown>)) {
    if (CREDENTIAL_PARAMETERS.has(name) || value === '' || value === undefined || value === null) continue;
    parameters[name] = Array.isArray(value) ? value.map((one) => text(one, name)) : text(value, name);
  }
  if (parameters['request_uri'] !== undefined) {
    throw new InvalidRequestError('Invalid request: the parameter `request_uri` cannot be pushed');
  }
  if (JSON.stringify(parameters).length <= MAX_CHARACTERS) return parameters;
  throw new InvalidRequestError(`Invalid request: it is longer than ${MAX_CHARACTERS} characters`, { code: 413 });
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new InvalidRequestError(`Invalid parameter: \`${shortText(name, 100)}\``);
}

/**
 * Returns a pushed request as the request that the authorization endpoint processes. Other parameters in the browser's
 * URL or form are ignored. RFC 9126 §4
 */
export function asRequest({ parameters, requestUri }: Pick<PushedRequest, 'parameters' | 'requestUri'>, from: Request) {
  const query = { ...parameters, request_uri: requestUri };
  return new Request({ headers: from.headers, method: 'GET', query, native: from['native'] as unknown });
}
