import { describe, expect, it } from '@jest/globals';

import { addAccessToken, addCode, addRefreshToken, CALLBACK, createHost, type Host, WEB } from '../support/model.js';
import { answer, authorizeRequest, resourceRequest, signedIn, tokenRequest } from '../support/requests.js';
import { withoutWarnings } from '../support/quiet.js';

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

withoutWarnings();

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
        ['client.authenticated', 'token.reuse_detected', 'grant.ended', 'token.refused'],
        true,
      ]);
    }
  });

  it('3. a replay is refused, and ends nothing, where either the model or what was replayed knows no families', async () => {
    for (const body of [CODE, REFRESH]) {
      const revoked: unknown[] = [];
      const knowing = createHost({ revokeGrant: (grantId: string) => void revoked.push(grantId) });
      const unknowing = createHost();
      for (const add of [addCode, addRefreshToken]) {
        add(knowing, { revokedAt: new Date() });
        add(unknowing, { grantId: 'family', revokedAt: new Date() });
      }
      for (const host of [knowing, unknowing]) {
        expect((await answer(host, 'token', tokenRequest(body))).error?.name).toBe('invalid_grant');
      }
      expect(revoked).toEqual([]);
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
});
