import { FORM } from '../../http/media-type.js';
import { isObject } from '../../http/is-object.js';
import { untilAborted } from '../../remote/timeout.js';
import { MisconfiguredError } from '../../remote/misconfigured-error.js';
import type { Discovery } from './discovery.js';
import { type JsonResponse, requestJson } from '../../remote/json-request.js';
import type { ClientSecretMethod, IntrospectionCredentials, Settings } from './settings.js';
import { unavailable } from '../../remote/unavailable.js';

/**
 * Asks the authorization server what it knows of a token. RFC 7662 §2.1
 * @throws TemporarilyUnavailableError when it does not say; MisconfiguredError when it refuses to
 */
export async function introspect(
  token: string,
  discovery: Discovery,
  { answers, credentials, fetch }: Pick<Settings, 'answers' | 'credentials' | 'fetch'>,
  signal: AbortSignal,
): Promise<unknown> {
  const { endpoint, method } = await untilAborted(signal, discovery.find());
  const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
  const headers = { ...addCredentials(credentials, method, form), ...(answers && { accept: answers.type }) };
  const request = { method: 'POST', headers, body: form.toString(), fetch, signal, textType: answers?.type };
  const answer = await requestJson(endpoint, request);
  if (answer.status === 200 && !answers && answer.body !== undefined) return answer.body;
  if (answer.status === 200 && answers && answer.text !== undefined) {
    return await answers.read(answer.text, { audience: credentials.id });
  }
  const isElsewhere = answer.status >= 300 && answer.status < 500 && answer.status !== 429;
  if (isElsewhere) discovery.forget();
  throw errorOf(answer, endpoint, { ...credentials, isSigned: answers !== undefined });
}

function errorOf(
  { status, body, retryAfter }: JsonResponse,
  endpoint: string,
  { id, isSigned }: IntrospectionCredentials & { isSigned: boolean },
): Error {
  if (status === 400 || status === 401 || status === 403) {
    const code: unknown = isObject(body) ? body['error'] : undefined;
    const said = typeof code === 'string' && /^[\w.:/-]{1,100}$/.test(code) ? `${status} ${code}` : status;
    return new MisconfiguredError(
      `${endpoint} refuses to tell the client \`${id}\` of tokens (${said}): see that it is registered there, with this secret, and may introspect`,
    );
  }
  const what = status === 200 ? `something that is no ${isSigned ? 'signed answer' : 'JSON'}` : `the status ${status}`;
  return unavailable(`${endpoint} answers with ${what}`, retryAfter);
}

/** Both parts are form-encoded before they are joined, so that either may hold a colon. RFC 6749 §2.3.1 */
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
