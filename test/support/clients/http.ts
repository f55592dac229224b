import { expect } from '@jest/globals';

/** An HTTP response, without headers that every HTTP server adds. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

const INCIDENTAL = ['connection', 'content-length', 'date', 'etag', 'keep-alive', 'transfer-encoding', 'x-powered-by'];

/** Reads a response completely, so that a test can compare all headers and the whole body. */
export async function readResponse(pending: Response | Promise<Response>): Promise<HttpResponse> {
  const response = await pending;
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !INCIDENTAL.includes(name)));
  const text = await response.text();
  const isJson = headers['content-type']?.startsWith('application/json');
  return { status: response.status, headers, body: isJson && text ? JSON.parse(text) : text };
}

export const NO_STORE = {
  'cache-control': 'no-store',
  'content-type': 'application/json; charset=utf-8',
  pragma: 'no-cache',
};

export const REFRESH_TOKEN: unknown = expect.stringMatching(/^[\da-f]{64}$/);

/** The complete response expected from the token endpoint when it issues tokens. */
export const issued = (body: object): HttpResponse => ({
  status: 200,
  headers: NO_STORE,
  body: {
    access_token: expect.stringMatching(/^[\da-f]{64}$/),
    token_type: 'Bearer',
    // The remaining lifetime in whole seconds may be shorter than 3600.
    expires_in: expect.closeTo(3600, -2),
    ...body,
  },
});

/** The complete error response expected from the token endpoint. */
export function expectedRefusal(error: string, description: string, status = 400, headers = {}): HttpResponse {
  return { status, headers: { ...NO_STORE, ...headers }, body: { error, error_description: description } };
}

/** The body of an error response of the guard. It combines the members of Nest with those of OAuth 2.0. */
export const refusalBody = (statusCode: number, error: string, description: string) => ({
  statusCode,
  message: description,
  error,
  error_description: description,
});

export function post(
  url: string,
  form: Record<string, string> | string | [string, string][],
  headers = {},
): Promise<Response> {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return fetch(url, { method: 'POST', body, headers: { ...type, ...headers }, redirect: 'manual' });
}

export function get(url: string, headers = {}): Promise<Response> {
  return fetch(url, { headers, redirect: 'manual' });
}

export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
