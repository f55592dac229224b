import { Request } from '../http/request.js';
import type { ClientFixture } from './test-subject.js';

const FORM = 'application/x-www-form-urlencoded';

/** What a client posts to the token endpoint. RFC 6749 §3.2 */
export function tokenRequest({ id, secret }: ClientFixture, parameters: Record<string, string | undefined>): Request {
  const credentials = secret === undefined ? { client_id: id } : { client_id: id, client_secret: secret };
  return new Request({
    method: 'POST',
    headers: { 'content-type': FORM },
    query: {},
    body: { ...given(parameters), ...credentials },
  });
}

/** What a client sends to a protected resource. RFC 6750 §2.1 */
export function bearerRequest(accessToken: string): Request {
  return new Request({ method: 'GET', headers: { authorization: `Bearer ${accessToken}` }, query: {} });
}

/** What a browser brings from a client. RFC 6749 §4.1.1 */
export function authorizationRequest(parameters: Record<string, string | undefined>): Request {
  return new Request({
    method: 'GET',
    headers: {},
    query: { response_type: 'code', state: 'kit', ...given(parameters) },
  });
}

function given(parameters: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)) as never;
}
