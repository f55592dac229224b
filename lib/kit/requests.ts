import { Request } from '../http/request.js';
import type { ClientFixture } from './test-subject.js';

const FORM = 'application/x-www-form-urlencoded';

/** Returns a token request with the credentials of a client. RFC 6749 §3.2 */
export function tokenRequest({ id, secret }: ClientFixture, parameters: Record<string, string | undefined>): Request {
  const credentials = secret === undefined ? { client_id: id } : { client_id: id, client_secret: secret };
  return new Request({
    method: 'POST',
    headers: { 'content-type': FORM },
    query: {},
    body: { ...withoutUndefined(parameters), ...credentials },
  });
}

/** Returns a request to a protected resource with a bearer token. RFC 6750 §2.1 */
export function bearerRequest(accessToken: string): Request {
  return new Request({ method: 'GET', headers: { authorization: `Bearer ${accessToken}` }, query: {} });
}

/** Returns an authorization request for an authorization code. RFC 6749 §4.1.1 */
export function authorizationRequest(parameters: Record<string, string | undefined>): Request {
  return new Request({
    method: 'GET',
    headers: {},
    query: { response_type: 'code', state: 'kit', ...withoutUndefined(parameters) },
  });
}

function withoutUndefined(parameters: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)) as never;
}
