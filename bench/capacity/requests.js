import { challenge, redirectUri, requiredScope, verifier } from '../fixtures.js';
import { password, quickUser } from './users.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
/** Access tokens that guarded requests use in turn. */
const TOKENS = 64;
const BROWSERS = 32;
const SESSIONS = 8;

/**
 * Returns functions that create the requests of each operation, for a server with the client `web`.
 * @param server `{ url, secret, refreshTokens }`: `refreshTokens(amount)` resolves to new refresh tokens
 */
export function requestsOf({ url, secret, refreshTokens }) {
  const basic = { authorization: `Basic ${btoa(`web:${secret}`)}`, ...FORM };
  const tokenRequest = (form) => ({
    method: 'POST',
    path: '/oauth/token',
    headers: basic,
    body: new URLSearchParams(form).toString(),
  });
  const clientCredentials = tokenRequest({ grant_type: 'client_credentials', scope: requiredScope });
  let tokens;
  let browsers;
  let sessions;

  return {
    token: () => [clientCredentials],
    async refresh(amount) {
      const forms = (await refreshTokens(amount)).map((token) => ({
        grant_type: 'refresh_token',
        refresh_token: token,
      }));
      return forms.map(tokenRequest);
    },
    async code() {
      sessions ??= await openSessions(url);
      return sessions.map((cookie) => codeFlow(cookie, tokenRequest));
    },
    async login() {
      browsers ??= await openBrowsers(url, BROWSERS);
      return browsers.map(loginRequest);
    },
    async guarded() {
      tokens ??= await Promise.all(Array.from({ length: TOKENS }, () => newToken(url, clientCredentials)));
      return tokens.map(guardedRequest);
    },
  };
}

/** Returns functions that create the requests of an API. The API verifies the signature of a token only once. */
export function apiRequestsOf(newTokens) {
  let tokens;
  return {
    async guarded() {
      tokens ??= await newTokens(TOKENS);
      return tokens.map(guardedRequest);
    },
    first: async (amount) => (await newTokens(amount)).map(guardedRequest),
  };
}

const guardedRequest = (token) => ({
  method: 'GET',
  path: '/guarded',
  headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
});

async function newToken(url, { path, ...request }) {
  const response = await fetch(url + path, request);
  const { access_token: token, ...rest } = await response.json();
  if (!token) throw new Error(`No token: ${response.status} ${JSON.stringify(rest)}`);
  return token;
}

/** Returns an authorization request of a signed-in user, and the token request with the code. RFC 7636 §4 */
function codeFlow(cookie, tokenRequest) {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'web',
    redirect_uri: redirectUri,
    scope: requiredScope,
    state: 'af0ifjsldkj',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const redeem = tokenRequest({
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  return {
    method: 'GET',
    path: `/oauth/authorize?${query}`,
    headers: { cookie, accept: 'text/html' },
    expected: 302,
    next: { pattern: '[?&]code=([\\w-]+)', request: { ...redeem, body: `${redeem.body}&code={}` } },
  };
}

/** Opens the login page in new browsers. Each has a user of its own, because the pages limit attempts per user. */
function openBrowsers(url, count) {
  return Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const response = await fetch(`${url}/oauth/login`);
      const [, formToken] = /name="csrf_token" value="([^"]+)"/.exec(await response.text());
      return { cookie: cookiesOf(response), formToken, username: `user-${number}` };
    }),
  );
}

const cookiesOf = (response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

const loginRequest = ({ cookie, formToken, username }) => ({
  method: 'POST',
  path: '/oauth/login',
  headers: { cookie, ...FORM },
  body: new URLSearchParams({ csrf_token: formToken, username, password }).toString(),
  expected: 303,
});

/** Signs a user in from several browsers. Returns the cookies of the sessions. */
async function openSessions(url) {
  const browsers = await openBrowsers(url, SESSIONS);
  return Promise.all(browsers.map((browser) => signIn(url, { ...browser, username: quickUser })));
}

/** Signs a user in, and returns the cookies of the session. */
async function signIn(url, browser) {
  const { path, method, headers, body } = loginRequest(browser);
  const response = await fetch(url + path, { method, headers, body, redirect: 'manual' });
  if (response.status !== 303) throw new Error(`The login failed: ${response.status} ${await response.text()}`);
  return cookiesOf(response);
}
