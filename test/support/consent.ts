import { expect } from '@jest/globals';
import { type Answer, answerOf, get, post } from './http.js';

export const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/** A redirect of the authorization endpoint, as a whole. */
export const redirected = (location: unknown) => ({
  status: 302,
  headers: { 'cache-control': 'no-store', location },
  body: '',
});

/** The answer to `ASKED` that the client hopes for. */
export const REDIRECTED_WITH_CODE = redirected(
  expect.stringMatching(/^https:\/\/app\.example\/callback\?code=[\da-f]{64}&state=xyz$/),
);

export interface Page {
  user: string;
  client: string;
  scope: string;
  action: string;
  ticket: string;
}

/** Reads the consent page of the demo interaction. */
export function pageOf({ status, body }: Answer): Page {
  expect({ status, body }).toEqual({ status: 200, body: expect.stringContaining('"ticket"') });
  return JSON.parse(body as string) as Page;
}

/** Opens an authorization request in a browser where `user` is signed in. */
export function open(url: string, parameters: Record<string, string>, user?: string): Promise<Answer> {
  const query = new URLSearchParams(parameters).toString();
  return answerOf(get(`${url}/oauth/authorize?${query}`, user ? { cookie: `user=${user}` } : {}));
}

/** Goes through the consent page, if there is one, and returns where the browser is sent then. */
export async function decide(
  url: string,
  parameters: Record<string, string>,
  user: string,
  decision: string,
): Promise<URL> {
  let answer = await open(url, parameters, user);
  if (answer.status === 200) {
    const { action, ticket } = pageOf(answer);
    answer = await answerOf(post(url + action, { ticket, decision }, { cookie: `user=${user}` }));
  }
  expect(answer).toEqual(redirected(expect.any(String)));
  return new URL(answer.headers['location']!);
}
