import { describe, expect, it } from '@jest/globals';

import { ALICE, CALLBACK, createTestModel, type TestModel, OTHER_CALLBACK, WEB } from '../../support/models/model.js';
import { runOperation, authorizeRequest, signedIn } from '../../support/clients/requests.js';

const authorize = (query: object = {}, testModel: TestModel = createTestModel(), options: object = signedIn) =>
  runOperation(testModel, 'authorize', authorizeRequest({ ...query }), options);

describe('authorize()', () => {
  it('redirects with a code, and resolves to the code that saveAuthorizationCode() returned', async () => {
    const testModel = createTestModel();
    const { result, status, headers, body } = await authorize({}, testModel);
    const code = result?.['authorizationCode'] as string;
    expect(result).toBe(testModel.codes.get(code));
    expect({ status, headers, body }).toEqual({
      status: 302,
      headers: { location: `${CALLBACK}?code=${code}&state=xyz`, 'cache-control': 'no-store' },
      body: {},
    });
    expect(testModel.calls).toEqual([
      ['getClient', 'web', null],
      ['validateScope', ALICE, WEB, 'read'],
      [
        'saveAuthorizationCode',
        { authorizationCode: code, expiresAt: expect.any(Date), redirectUri: CALLBACK, scope: 'read' },
        WEB,
        ALICE,
      ],
    ]);
    expect(code).toMatch(/^[0-9a-f]{64}$/);
  });

  it('reads parameters of the body before those of the query', async () => {
    const query = { client_id: 'who', state: 'query' };
    const body = { client_id: 'web', response_type: 'code', redirect_uri: OTHER_CALLBACK, state: 'body' };
    const request = authorizeRequest(query, { method: 'POST', body });
    const { redirected, headers } = await runOperation(createTestModel(), 'authorize', request, signedIn);
    expect([redirected['state'], headers['location']?.startsWith(`${OTHER_CALLBACK}&code=`)]).toEqual(['body', true]);
  });

  it('reads a parameter from the query if it is empty in the body', async () => {
    const request = authorizeRequest({}, { method: 'POST', body: { client_id: '', state: '', scope: null } });
    expect((await runOperation(createTestModel(), 'authorize', request, signedIn)).redirected['state']).toBe('xyz');
  });

  it('uses the only registered redirect URI if the request has none, and does not save it', async () => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, redirectUris: [CALLBACK] });
    const { headers, result } = await authorize({ redirect_uri: undefined }, testModel);
    expect(headers['location']).toMatch(/^https:\/\/app\.example\/cb\?code=/);
    expect(result).not.toHaveProperty('redirectUri');
  });

  it('uses the code of generateAuthorizationCode() or, if it differs, of saveAuthorizationCode()', async () => {
    const generateAuthorizationCode = () => 'mine';
    expect((await authorize({}, createTestModel({ generateAuthorizationCode }))).redirected['code']).toBe('mine');
    const saveAuthorizationCode = () => ({ authorizationCode: 'saved as' });
    const testModel = createTestModel({ generateAuthorizationCode, saveAuthorizationCode });
    expect((await authorize({}, testModel)).headers['location']).toBe(`${CALLBACK}?code=saved%20as&state=xyz`);
    expect(
      (await authorize({}, createTestModel({ generateAuthorizationCode: () => '' }))).redirected['code'],
    ).toHaveLength(64);
  });
});
