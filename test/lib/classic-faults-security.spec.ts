import { describe, expect, it } from '@jest/globals';

import {
  addAccessToken,
  addCode,
  addRefreshToken,
  CALLBACK,
  createHost,
  type Host,
  SECRET,
  SPA,
  WEB,
} from '../support/model.js';
import {
  answer,
  authorizeRequest,
  basic,
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
const REFRESH = { grant_type: 'refresh_token', refresh_token: 'refresh' };
const CREDENTIALS = { grant_type: 'client_credentials' };
const withClient = (client: object, overrides: object = {}): Host => {
  const host = createHost(overrides);
  host.clients.set('web', { ...WEB, ...client });
  return host;
};
const authorize = (query: object = {}, host = createHost(), options: object = {}) =>
  answer(host, 'authorize', authorizeRequest({ ...query }), { ...signedIn, ...options });
const nothingMinted = (host: Host) => host.calls.every(([method]) => method !== 'saveToken');

describe('the security faults of the classic libraries are absent:', () => {
  it('1. redirect URIs or grants given as a text are never matched by a part of it', async () => {
    const text = withClient({ redirectUris: 'https://a.example.com/cb' });
    for (const redirect_uri of ['https://a.example.c', 'https://a.example.com/cb', undefined]) {
      expect((await authorize({ redirect_uri }, text)).headers['location']).toBeUndefined();
    }
    const grants = withClient({ grants: 'authorization_code,client_credentials' });
    expect((await authorize({}, grants)).headers['location']).toBeUndefined();
    expect((await answer(grants, 'token', tokenRequest(CREDENTIALS))).status).toBe(503);
  });

  it('2. of concurrent redemptions of one code or refresh token, one gets tokens, if the model lets one spend it', async () => {
    for (const body of [CODE, REFRESH]) {
      const host = createHost();
      addCode(host);
      addRefreshToken(host);
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => answer(host, 'token', tokenRequest(body))));
      expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(outcomes.filter(({ error }) => error?.name === 'invalid_grant')).toHaveLength(4);
    }
  });

  it('3. a replayed code or refresh token ends its whole family, where the model can end one', async () => {
    for (const [body, add] of [
      [CODE, addCode],
      [REFRESH, addRefreshToken],
    ] as const) {
      const revoked: unknown[] = [];
      const host = createHost({ revokeGrant: (grantId: string) => void revoked.push(grantId) });
      const events: unknown[] = [];
      add(host, { grantId: 'family', revokedAt: new Date() });
      const options = { events: { emit: (name: string) => events.push(name) } };
      const { error } = await answer(host, 'token', tokenRequest(body), options);
      expect([error?.name, revoked, events, nothingMinted(host)]).toEqual([
        'invalid_grant',
        ['family'],
        ['token.reuse_detected'],
        true,
      ]);
    }
  });

  it('4. the text of an exception of the model goes neither into a body, nor into a redirect, nor into a header', async () => {
    const failing = () => {
      throw new Error('CANARY');
    };
    for (const method of ['getClient', 'validateScope', 'saveAuthorizationCode', 'saveToken', 'getAccessToken']) {
      const host = createHost({ [method]: failing });
      const outcomes = [
        await authorize({}, host),
        await answer(host, 'token', tokenRequest(CREDENTIALS)),
        await answer(host, 'authenticate', resourceRequest()),
      ];
      expect(outcomes.some(({ error }) => error?.inner?.message === 'CANARY')).toBe(true);
      expect(JSON.stringify(outcomes.map(({ headers, body }) => [headers, body]))).not.toContain('CANARY');
    }
  });

  it('5. nothing with an impossible date is ever alive', async () => {
    const never = new Date(Number.NaN);
    const host = createHost();
    addAccessToken(host, { accessTokenExpiresAt: never });
    addCode(host, { expiresAt: never });
    addRefreshToken(host, { refreshTokenExpiresAt: never });
    expect((await answer(host, 'authenticate', resourceRequest())).error?.message).toContain('has expired');
    for (const body of [CODE, REFRESH]) {
      expect((await answer(host, 'token', tokenRequest(body))).error?.message).toContain('has expired');
    }
  });

  it('6. two clients without an id are not the same client', async () => {
    const host = createHost({ getClient: () => ({ grants: WEB.grants, redirectUris: WEB.redirectUris }) });
    addCode(host, { client: { grants: [] } as never });
    addRefreshToken(host, { client: { grants: [] } as never });
    for (const body of [CODE, REFRESH]) {
      expect((await answer(host, 'token', tokenRequest(body))).error?.name).toBe('invalid_grant');
    }
  });

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

  it('13. a client proves itself in one way, and its Basic credentials are form-decoded', async () => {
    const both = tokenRequest({ ...CREDENTIALS, client_id: 'web', client_secret: SECRET });
    expect((await answer(createHost(), 'token', both)).error?.message).toContain(
      'only one client authentication method',
    );
    const authorization = basic('we%62', 's3cre%74');
    const encoded = tokenRequest(CREDENTIALS, { headers: { ...FORM, authorization } });
    expect((await answer(createHost(), 'token', encoded)).status).toBe(200);
  });

  it('14. a client without the refresh_token grant gets no refresh token', async () => {
    const host = withClient({ grants: ['authorization_code', 'password'] });
    addCode(host);
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    for (const body of [CODE, password]) {
      const { result, body: sent } = await answer(host, 'token', tokenRequest(body));
      expect([sent['access_token'], sent['refresh_token'], result?.['refreshToken']]).toEqual([
        expect.any(String),
        undefined,
        undefined,
      ]);
    }
  });

  it('15. a code that was saved without a redirect URI is not redeemed with any other', async () => {
    const host = createHost();
    addCode(host, { redirectUri: undefined });
    const { error } = await answer(host, 'token', tokenRequest({ ...CODE, redirect_uri: 'https://evil.example/cb' }));
    expect(error?.name).toBe('invalid_grant');
  });

  it('16. asking for a wider scope, or for a part of a name, leaves the refresh token alive', async () => {
    const host = createHost();
    addRefreshToken(host);
    for (const scope of ['read write admin', 'rea']) {
      expect((await answer(host, 'token', tokenRequest({ ...REFRESH, scope }))).error?.name).toBe('invalid_scope');
    }
    expect((await answer(host, 'token', tokenRequest(REFRESH))).status).toBe(200);
  });

  it('17. a wrong redirect URI spends the code, and a scope the model refuses does not', async () => {
    const host = createHost();
    addCode(host);
    expect((await answer(host, 'token', tokenRequest({ ...CODE, redirect_uri: 'https://x.example' }))).status).toBe(
      400,
    );
    expect(host.codes.size).toBe(0);
    const refusing = createHost({ validateScope: () => false });
    addCode(refusing);
    expect((await answer(refusing, 'token', tokenRequest(CODE))).error?.name).toBe('invalid_scope');
    expect(refusing.codes.size).toBe(1);
  });
});
