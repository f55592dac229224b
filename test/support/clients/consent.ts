import { expect } from '@jest/globals';
import { type HttpResponse, readResponse, get, post } from './http.js';

export const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/**
 * The complete redirect response expected from the authorization endpoint. After a form post, pass status 303. RFC 9700
 * §4.12
 */
export const redirected = (location: unknown, status = 302) => ({
  status,
  headers: { 'cache-control': 'no-store', location },
  body: '',
});

const withCode: unknown = expect.stringMatching(/^https:\/\/app\.example\/callback\?code=[\da-f]{64}&state=xyz$/);

/** The expected response to `AUTHORIZATION_PARAMETERS` if the user has consented before: a redirect with a code. */
export const REDIRECTED_WITH_CODE = redirected(withCode);

/** The expected response to the posted consent form: a redirect with a code and status 303. */
export const DECIDED_WITH_CODE = redirected(withCode, 303);

export interface Page {
  user: string;
  client: string;
  scope: string;
  action: string;
  csrf_token: string;
}

/** Parses the consent page of the demo application, which is JSON. */
export function pageOf({ status, body }: HttpResponse): Page {
  expect({ status, body }).toEqual({ status: 200, body: expect.stringContaining('"csrf_token"') });
  return JSON.parse(body as string) as Page;
}

/** Sends an authorization request from a browser in which `user` is signed in. */
export function openConsentPage(url: string, parameters: Record<string, string>, user?: string): Promise<HttpResponse> {
  const query = new URLSearchParams(parameters).toString();
  return readResponse(get(`${url}/oauth/authorize?${query}`, user ? { cookie: `user=${user}` } : {}));
}

/**
 * Opens an authorization request URL in Alice's browser and decides on the consent page, if there is one. Returns the
 * URL that she is redirected to.
 */
export async function agree(at: URL, decision = 'allow'): Promise<URL> {
  const cookie = { cookie: 'user=alice' };
  let response = await readResponse(get(at.href, cookie));
  if (response.status === 200) {
    const { action, csrf_token: csrfToken } = pageOf(response);
    response = await readResponse(post(new URL(action, at).href, { csrf_token: csrfToken, decision }, cookie));
  }
  return new URL(response.headers['location']!);
}

/**
 * Sends an authorization request and decides on the consent page, if there is one. Returns the URL that the browser is
 * redirected to.
 */
export async function decide(
  url: string,
  parameters: Record<string, string>,
  user: string,
  decision: string,
): Promise<URL> {
  let response = await openConsentPage(url, parameters, user);
  const showsConsentPage = response.status === 200;
  if (showsConsentPage) {
    const { action, csrf_token: csrfToken } = pageOf(response);
    response = await readResponse(post(url + action, { csrf_token: csrfToken, decision }, { cookie: `user=${user}` }));
  }
  expect(response).toEqual(redirected(expect.any(String), showsConsentPage ? 303 : 302));
  return new URL(response.headers['location']!);
}
