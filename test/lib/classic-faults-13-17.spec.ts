import { describe, expect, it } from '@jest/globals';

import { addCode, addRefreshToken, CALLBACK, createHost, type Host, SECRET, WEB } from '../support/model.js';
import { answer, basic, FORM, tokenRequest } from '../support/requests.js';

// What the classic libraries do wrong, one test each, in the order of the list in docs/migrating.md: security.

const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
const REFRESH = { grant_type: 'refresh_token', refresh_token: 'refresh' };
const CREDENTIALS = { grant_type: 'client_credentials' };
const withClient = (client: object, overrides: object = {}): Host => {
  const host = createHost(overrides);
  host.clients.set('web', { ...WEB, ...client });
  return host;
};

describe('the security faults of the classic libraries are absent:', () => {
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
