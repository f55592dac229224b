import { FORM } from '../../http/media-type.js';
import { isObject } from '../../http/is-object.js';
import { untilAborted } from '../../remote/timeout.js';
import { MisconfiguredError } from '../../remote/misconfigured-error.js';
import type { Discovery } from './discovery.js';
import { type JsonResponse, requestJson } from '../../remote/json-request.js';
import type { ClientSecretMethod, IntrospectionCredentials, Settings } from './settings.js';
import { unavailable } from '../../remote/unavailable.js';

/**
 * Sends an access token to the introspection endpoint, and returns the content of the response. RFC 7662 §2.1
 * @throws {TemporarilyUnavailableError} If the server does not respond as expected.
 * @throws {MisconfiguredError} If the server rejects the client.
 */
export async function introspect(
  token: string,
  discovery: Discovery,
  { responses, credentials, fetch }: Pick<Settings, 'responses' | 'credentials' | 'fetch'>,
  signal: AbortSignal,
): Promise<unknown> {
  const { endpoint, method } = await untilAborted(signal, discovery.find());
  const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
  const headers = { ...addCredentials(credentials, method, form), ...(responses && { accept: responses.type }) };
  const request = { method: 'POST', headers, body: form.toString(), fetch, signal, textType: responses?.type };
  const response = await requestJson(endpoint, request);
  if (response.status === 200 && !responses && response.body !== undefined) return response.body;
  if (response.status === 200 && responses && response.text !== undefined) {
    return await responses.read(response.text, { audience: credentials.id });
  }
  const isElsewhere = response.status >= 300 && response.status < 500 && response.status !== 429;
  if (isElsewhere) discovery.forget();
  throw errorOf(response, endpoint, { ...credentials, isSigned: responses !== undefined });
}

function errorOf(
  { status, body, retryAfter }: JsonResponse,
  endpoint: string,
  { id, isSigned }: IntrospectionCredentials & { isSigned: boolean },
): Error {
  if (status === 400 || status === 401 || status === 403) {
    const code: unknown = isObject(body) ? body['error'] : undefined;
    const refusal = typeof code === 'string' && /^[\w.:/-]{1,100}$/.test(code) ? `${status} ${code}` : status;
    return new MisconfiguredError(
      `${endpoint} rejected the client \`${id}\` (${refusal}): verify that it is registered there with this secret and may introspect tokens`,
    );
  }
  const content =
    status === 200 ? `content that is not ${isSigned ? 'a signed response' : 'JSON'}` : `the status ${status}`;
  return unavailable(`${endpoint} responded with ${content}`, retryAfter);
}

/**
 * Returns the request headers. They contain the client's credentials, unless `client_secret_post` is used, which adds
 * the credentials to the form. For `Basic`, both parts are form-encoded, so that they may contain a colon.
 * RFC 6749 §2.3.1
 */
function addCredentials({ id, secret }: IntrospectionCredentials, method: ClientSecretMethod, form: URLSearchParams) {
  const headers = { 'content-type': FORM };
  if (method === 'client_secret_post') {
    form.set('client_id', id);
    form.set('client_secret', secret);
    return headers;
  }
  const pair = `${encodeForm(id)}:${encodeForm(secret)}`;
  return { ...headers, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

const encodeForm = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
