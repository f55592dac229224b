import { describe, expect, it } from '@jest/globals';

import { addAccessToken, addCode, CALLBACK, createHost, type Host, SECRET, SPA, WEB } from '../support/model.js';
import {
  answer,
  authorizeRequest,
  CHALLENGE,
  FORM,
  formRequest,
  resourceRequest,
  signedIn,
  tokenRequest,
  VERIFIER,
} from '../support/requests.js';

// What the classic libraries do wrong, one test each, in the order of the list in docs/migrating.md: security.

const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
const CREDENTIALS = { grant_type: 'client_credentials' };
const withClient = (client: object, overrides: object = {}): Host => {
  const host = createHost(overrides);
  host.clients.set('web', { ...WEB, ...client });
  return host;
};
const authorize = (query: object = {}, host = createHost(), options: object = {}) =>
  answer(host, 'authorize', authorizeRequest({ ...query }), { ...signedIn, ...options });

describe('the security faults of the classic libraries are absent:', () => {
  it('7. a client that has a secret is excused from it neither by a code verifier nor by an empty one', async () => {
    const host = createHost();
    addCode(host, { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' });
    const verified = { ...CODE, client_id: 'web', code_verifier: VERIFIER };
    expect((await answer(host, 'token', formRequest(verified))).status).toBe(401);
    expect((await answer(host, 'token', formRequest({ ...verified, client_secret: '' }))).status).toBe(401);
    const excused = { requireClientAuthentication: { authorization_code: false } };
    const declared = withClient({ tokenEndpointAuthMethod: 'client_secret_post' });
    addCode(declared, { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' });
    expect((await answer(declared, 'token', formRequest(verified), excused)).status).toBe(401);
  });

  it('8. extended attributes neither show codes or secrets nor take the place of what the protocol says', async () => {
    const extras = { access_token: 'evil', client_secret: 'x', passwordHash: 'x', id_token: 'jwt' };
    const saveToken = (token: object, client: object, user: object) => ({ ...token, ...extras, client, user });
    const host = createHost({ saveToken });
    addCode(host);
    const { body } = await answer(host, 'token', tokenRequest(CODE), { allowExtendedTokenAttributes: true });
    expect(Object.keys(body)).toEqual([
      'access_token',
      'token_type',
      'expires_in',
      'refresh_token',
      'scope',
      'id_token',
    ]);
    expect(body['access_token']).toHaveLength(64);
  });

  it('9. a public client is served with a well-formed challenge only, and a wrong verifier spends the code', async () => {
    const query = { client_id: 'spa', redirect_uri: SPA.redirectUris?.[0] };
    expect((await authorize(query)).error?.message).toBe('Missing parameter: `code_challenge`');
    expect((await authorize({ ...query, code_challenge: 'abc' })).error?.message).toBe(
      'Invalid parameter: `code_challenge`',
    );
    const host = createHost();
    addCode(host, { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' });
    const statuses = [];
    for (const code_verifier of ['w'.repeat(43), VERIFIER]) {
      statuses.push((await answer(host, 'token', tokenRequest({ ...CODE, code_verifier }))).status);
    }
    expect(statuses).toEqual([400, 400]);
  });

  it('10. an Authorization header is parsed as a whole, not searched', async () => {
    const host = createHost();
    addAccessToken(host);
    for (const header of [
      'Digest Bearer access def',
      'x Bearer access',
      'Bearer access, Bearer b',
      'Bearer access b',
    ]) {
      expect((await answer(host, 'authenticate', resourceRequest(header))).error?.message).toContain('malformed');
    }
  });

  it('11. scripts and fragments are no redirect URIs though they are registered, and loopback ports are free', async () => {
    for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'https://app.example/cb#x']) {
      const host = withClient({ redirectUris: [uri] });
      for (const redirect_uri of [uri, undefined]) {
        expect((await authorize({ redirect_uri }, host)).headers['location']).toBeUndefined();
      }
    }
    const native = withClient({ redirectUris: ['http://127.0.0.1/cb'] });
    const { headers } = await authorize({ redirect_uri: 'http://127.0.0.1:49152/cb' }, native);
    expect(headers['location']).toMatch(/^http:\/\/127\.0\.0\.1:49152\/cb\?code=/);
  });

  it('12. a parameter that is repeated never reaches the model', async () => {
    const twice = ['a', 'b'];
    const requests: [operation: 'authenticate' | 'authorize' | 'token', request: Parameters<typeof answer>[2]][] = [
      ['authorize', authorizeRequest({ client_id: twice })],
      ['authorize', authorizeRequest({ redirect_uri: twice })],
      ['token', formRequest({ ...CREDENTIALS, client_id: twice, client_secret: SECRET })],
      ['token', formRequest({ ...CREDENTIALS, client_id: 'web', client_secret: twice })],
      ['authenticate', resourceRequest(null, { query: { access_token: twice } })],
      ['authenticate', resourceRequest(null, { method: 'POST', headers: FORM, body: { access_token: twice } })],
    ];
    for (const [operation, request] of requests) {
      const host = createHost();
      const { error } = await answer(host, operation, request, { allowBearerTokensInQueryString: true, ...signedIn });
      expect([error?.name, error?.message.startsWith('Repeated parameter'), host.calls]).toEqual([
        'invalid_request',
        true,
        [],
      ]);
    }
    for (const name of ['scope', 'username', 'password', 'grant_type']) {
      const body = { grant_type: 'password', username: 'alice', password: 'wonderland', [name]: twice };
      const host = createHost();
      const { error } = await answer(host, 'token', tokenRequest(body));
      expect([error?.message, host.calls.length]).toEqual([`Repeated parameter: \`${name}\``, 1]);
    }
  });
});
