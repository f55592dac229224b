import assert from 'node:assert/strict';
import { newCode, newToken, redirectUri, requiredScope } from './fixtures.js';
import { authorizeRequest, clientCredentialsRequest, codeRequest, guardedRequest, refreshRequest } from './requests.js';
import { storeFor } from './store.js';

const past = new Date(Date.now() - 1000);

/**
 * The checks that every candidate must pass before it is measured. `needs` names a feature that some candidates lack.
 */
const checks = [
  check('accepts a valid token and returns both scopes', async ({ answerers, store }) => {
    const { accessToken } = store.addToken(newToken());
    const { status, headers } = await answerers.authenticate(guardedRequest(accessToken));
    assert.equal(status, 200);
    assert.equal(headers['x-accepted-oauth-scopes'], requiredScope);
    assert.equal(headers['x-oauth-scopes'], requiredScope);
  }),
  check('rejects an unknown token', async ({ answerers }) => {
    refused(await answerers.authenticate(guardedRequest('unknown')), 401);
  }),
  check('rejects an expired token', async ({ answerers, store }) => {
    const { accessToken } = store.addToken(newToken({ accessTokenExpiresAt: past }));
    refused(await answerers.authenticate(guardedRequest(accessToken)), 401);
  }),
  check('rejects a token with insufficient scope', async ({ answerers, store }) => {
    const { accessToken } = store.addToken(newToken({ scope: 'profile' }));
    refused(await answerers.authenticate(guardedRequest(accessToken)), 403);
  }),
  check('issues a token that is accepted afterwards', async ({ answerers }) => {
    const issued = await answerers.token(clientCredentialsRequest());
    assert.equal(issued.status, 200);
    assert.equal(issued.body.scope, requiredScope);
    assert.ok(issued.body.access_token.length >= 40 && !issued.body.refresh_token);
    assert.ok(issued.body.expires_in >= 3598 && issued.body.expires_in <= 3600);
    assert.equal(issued.headers['cache-control'], 'no-store');
    const another = await answerers.token(clientCredentialsRequest());
    assert.notEqual(another.body.access_token, issued.body.access_token);
    assert.equal((await answerers.authenticate(guardedRequest(issued.body.access_token))).status, 200);
  }),
  check('rejects a wrong secret', async ({ answerers }) => {
    refused(await answerers.token(clientCredentialsRequest({ id: 'demo-web', secret: 'wrong' })), 401);
  }),
  check('redeems a code once', async ({ answerers, store }) => {
    const { authorizationCode } = store.addCode(newCode());
    const issued = await answerers.token(codeRequest(authorizationCode));
    assert.equal(issued.status, 200);
    assert.ok(issued.body.access_token && issued.body.refresh_token);
    refused(await answerers.token(codeRequest(authorizationCode)), 400);
  }),
  check('rejects an expired code', async ({ answerers, store }) => {
    const { authorizationCode } = store.addCode(newCode({ expiresAt: past }));
    refused(await answerers.token(codeRequest(authorizationCode)), 400);
  }),
  check('rejects a code with a wrong verifier', { needs: 'pkce' }, async ({ answerers, store }) => {
    const { authorizationCode } = store.addCode(newCode());
    refused(await answerers.token(codeRequest(authorizationCode, { code_verifier: 'x'.repeat(43) })), 400);
  }),
  check('rejects a code for another redirect URI', async ({ answerers, store }) => {
    const { authorizationCode } = store.addCode(newCode());
    refused(await answerers.token(codeRequest(authorizationCode, { redirect_uri: `${redirectUri}/x` })), 400);
  }),
  check('rotates a refresh token and accepts it once', async ({ answerers, store }) => {
    const { refreshToken } = store.addToken(newToken());
    const issued = await answerers.token(refreshRequest(refreshToken));
    assert.equal(issued.status, 200);
    assert.equal(issued.body.scope, requiredScope);
    refused(await answerers.token(refreshRequest(refreshToken)), 400);
    assert.equal((await answerers.token(refreshRequest(issued.body.refresh_token))).status, 200);
  }),
  check('sends a redeemable code to the client', async ({ answerers }) => {
    const { status, headers } = await answerers.authorize(authorizeRequest());
    assert.equal(status, 302);
    const location = new URL(headers.location);
    assert.equal(location.origin + location.pathname, redirectUri);
    assert.equal(location.searchParams.get('state'), 'af0ifjsldkj');
    assert.equal((await answerers.token(codeRequest(location.searchParams.get('code')))).status, 200);
  }),
  check('sends nothing to an unregistered redirect URI', async ({ answerers }) => {
    const answer = await answerers.authorize(authorizeRequest({ redirect_uri: 'https://evil.example.com/' }));
    assert.ok(answer.status >= 400 && !answer.headers.location);
  }),
];

/** Runs the checks. @throws {Error} The first check that fails. */
export async function checkCandidate(candidate) {
  for (const { sentence, needs, run } of checks) {
    if (candidate.lacks?.includes(needs)) continue;
    const store = storeFor(candidate);
    try {
      await run({ answerers: candidate.create(store.model), store });
    } catch (error) {
      throw new Error(`${candidate.title} fails the check "${sentence}": ${error.message}`, { cause: error });
    }
  }
}

function check(sentence, ...rest) {
  const run = rest.pop();
  return { sentence, run, needs: rest[0]?.needs };
}

function refused(answer, status) {
  assert.equal(answer.status, status);
  assert.equal(answer.body?.access_token, undefined);
}
