import { expect } from '@jest/globals';
import { type HttpResponse, readResponse, get, post } from './http.js';

export const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/** A redirect of the authorization endpoint, as a whole: 303 after a form. RFC 9700 §4.12 */
export const redirected = (location: unknown, status = 302) => ({
  status,
  headers: { 'cache-control': 'no-store', location },
  body: '',
});

const withCode: unknown = expect.stringMatching(/^https:\/\/app\.example\/callback\?code=[\da-f]{64}&state=xyz$/);

/** The response to `ASKED` that the client hopes for, where the user has agreed before. */
export const REDIRECTED_WITH_CODE = redirected(withCode);

/** The same, where the user has agreed on the consent page. */
export const DECIDED_WITH_CODE = redirected(withCode, 303);

export interface Page {
  user: string;
  client: string;
  scope: string;
  action: string;
  ticket: string;
}

/** Reads the consent page of the demo interaction. */
export function pageOf({ status, body }: HttpResponse): Page {
  expect({ status, body }).toEqual({ status: 200, body: expect.stringContaining('"ticket"') });
  return JSON.parse(body as string) as Page;
}

/** Opens an authorization request in a browser where `user` is signed in. */
export function openConsentPage(url: string, parameters: Record<string, string>, user?: string): Promise<HttpResponse> {
  const query = new URLSearchParams(parameters).toString();
  return readResponse(get(`${url}/oauth/authorize?${query}`, user ? { cookie: `user=${user}` } : {}));
}

/** Opens the address of an authorization request in Alice's browser, where she decides if she is asked; where she is sent then. */
export async function agree(at: URL, decision = 'allow'): Promise<URL> {
  const cookie = { cookie: 'user=alice' };
  let response = await readResponse(get(at.href, cookie));
  if (response.status === 200) {
    const { action, ticket } = pageOf(response);
    response = await readResponse(post(new URL(action, at).href, { ticket, decision }, cookie));
  }
  return new URL(response.headers['location']!);
}

/** Goes through the consent page, if there is one, and returns where the browser is sent then. */
export async function decide(
  url: string,
  parameters: Record<string, string>,
  user: string,
  decision: string,
): Promise<URL> {
  let response = await openConsentPage(url, parameters, user);
  const showsConsentPage = response.status === 200;
  if (showsConsentPage) {
    const { action, ticket } = pageOf(response);
    response = await readResponse(post(url + action, { ticket, decision }, { cookie: `user=${user}` }));
  }
  expect(response).toEqual(redirected(expect.any(String), showsConsentPage ? 303 : 302));
  return new URL(response.headers['location']!);
}
