import { describe, expect, it } from '@jest/globals';
import { revocation } from 'nest-oauth2/features';
import { type Model, OAuth2Server } from 'nest-oauth2/server';

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { familyModel, memoryStore } from '../../support/models/token-family-models.js';
import {
  addAccessToken,
  addCode,
  addRefreshToken,
  ALICE,
  CALLBACK,
  createTestModel,
  WEB,
} from '../../support/models/model.js';
import {
  runOperation,
  authorizeRequest,
  resourceRequest,
  signedIn,
  summary,
  tokenRequest,
} from '../../support/clients/requests.js';

const [ISSUER, OTHER] = ['https://one.example', 'https://other.example'];
const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
const REFRESH = { grant_type: 'refresh_token', refresh_token: 'refresh' };
const IMPLICIT = { ...WEB, grants: [...WEB.grants, 'implicit'] };

const serverOf = (model: Model, issuer?: string) =>
  new OAuth2Server({ model, ...(issuer && { issuer }), features: [revocation()] });

describe('the `issuer` of stored codes and tokens', () => {
  it('is saved with every code and token if the model stores token families', async () => {
    const testModel = familyModel();
    testModel.clients.set('web', IMPLICIT);
    const server = serverOf(testModel.model, ISSUER);
    const { redirected } = await runOperation(server, 'authorize', authorizeRequest(), signedIn);
    expect(testModel.codes.get(String(redirected['code']))).toMatchObject({ issuer: ISSUER });
    await runOperation(server, 'authorize', authorizeRequest({ response_type: 'token' }), signedIn);
    const { body } = await runOperation(server, 'token', tokenRequest({ ...CODE, code: redirected['code'] }));
    await runOperation(server, 'token', tokenRequest({ ...REFRESH, refresh_token: body['refresh_token'] }));
    await runOperation(server, 'token', tokenRequest({ grant_type: 'client_credentials' }));
    const saved = [...testModel.accessTokens.values(), ...testModel.refreshTokens.values()];
    expect(saved.length).toBeGreaterThan(4);
    expect(saved.map(({ issuer }) => issuer)).toEqual(saved.map(() => ISSUER));
    expect(body).not.toHaveProperty('issuer');
  });

  it.each([
    ['a model without families', createTestModel(), ISSUER],
    ['a server without the option `issuer`', familyModel(), undefined],
  ])('is not saved with %s', async (_, testModel, issuer) => {
    const server = serverOf(testModel.model, issuer);
    await runOperation(server, 'authorize', authorizeRequest(), signedIn);
    await runOperation(
      server,
      'token',
      tokenRequest({ grant_type: 'password', username: 'alice', password: 'wonderland' }),
    );
    expect(
      [testModel.codes.size, testModel.accessTokens.size, testModel.refreshTokens.size].every((size) => size > 0),
    ).toBe(true);
    const rows: object[] = [
      ...testModel.codes.values(),
      ...testModel.accessTokens.values(),
      ...testModel.refreshTokens.values(),
    ];
    expect(rows.flatMap((row) => Object.keys(row))).not.toContain('issuer');
  });

  it.each([
    ['a code', CODE, '400 invalid_grant: Invalid grant: authorization code is invalid'],
    ['a refresh token', REFRESH, '400 invalid_grant: Invalid grant: refresh token is invalid'],
  ])('makes %s of another issuer invalid, and nothing is consumed or revoked', async (_, body, refused) => {
    const testModel = familyModel();
    const reported: string[] = [];
    const events = { emit: (name: string) => void reported.push(name) };
    const used = { revokedAt: new Date(), grantId: 'family', issuer: OTHER };
    for (const more of [{ issuer: OTHER }, used]) {
      addCode(testModel, more);
      addRefreshToken(testModel, more);
      const server = new OAuth2Server({ model: testModel.model, issuer: ISSUER, events });
      const { error } = await runOperation(server, 'token', tokenRequest(body));
      expect(summary(error)).toBe(refused);
    }
    expect(reported.filter((name) => name !== 'client.authenticated')).toEqual(['token.refused', 'token.refused']);
    expect(testModel.calls.filter(([method]) => /^revoke|^save/.test(method))).toEqual([]);
    expect(testModel.revoked.size).toBe(0);
  });

  it('makes an access token of another issuer invalid', async () => {
    const testModel = createTestModel();
    addAccessToken(testModel, { issuer: OTHER });
    const { status, error } = await runOperation(serverOf(testModel.model, ISSUER), 'authenticate', resourceRequest());
    expect([status, summary(error)]).toEqual([401, '401 invalid_token: Invalid token: access token is invalid']);
    expect((await runOperation(serverOf(testModel.model, OTHER), 'authenticate', resourceRequest())).status).toBe(200);
  });

  it.each([
    ['the code or token has none', undefined, ISSUER],
    ['the code or token has null', null, ISSUER],
    ['the server has none', OTHER, undefined],
  ])('is ignored if only the server, or only the code or token, has an issuer: %s', async (_, kept, requested) => {
    const testModel = createTestModel();
    const more = { issuer: kept as never };
    addCode(testModel, more);
    addRefreshToken(testModel, more);
    addAccessToken(testModel, more);
    const server = serverOf(testModel.model, requested);
    expect((await runOperation(server, 'authenticate', resourceRequest())).status).toBe(200);
    expect((await runOperation(server, 'token', tokenRequest(CODE))).status).toBe(200);
    expect((await runOperation(server, 'token', tokenRequest(REFRESH))).status).toBe(200);
  });

  it('does not let a client revoke tokens of another issuer', async () => {
    const model = await memoryStore();
    const token = { accessToken: 'access', accessTokenExpiresAt: new Date(Date.now() + 1e6), grantId: 'of other' };
    await model.saveToken({ ...token, issuer: OTHER, refreshToken: 'refresh' }, WEB, ALICE);
    for (const value of ['access', 'refresh']) {
      const { status, body } = await callEndpoint(
        serverOf(model, ISSUER),
        'revocation',
        tokenRequest({ token: value }),
      );
      expect([status, body]).toEqual([200, {}]);
    }
    expect(await model.getAccessToken('access')).toBeDefined();
    expect(await model.getRefreshToken('refresh')).toMatchObject({ issuer: OTHER });
    await callEndpoint(serverOf(model, OTHER), 'revocation', tokenRequest({ token: 'refresh' }));
    expect(await model.getAccessToken('access')).toBeUndefined();
  });
});
