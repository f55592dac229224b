import { describe, expect, it } from '@jest/globals';

import { addCode, addRefreshToken, CALLBACK, createTestModel } from '../../support/models/model.js';
import { runOperation, authorizeRequest, signedIn, summary, tokenRequest } from '../../support/clients/requests.js';

const CREDENTIALS = { grant_type: 'client_credentials' };

/** Returns the scopes that the model receives in one token request, and the scope of the response. */
const trace = async (body: object, options: object, validateScope: unknown) => {
  const seen: Record<string, unknown> = {};
  const see = (name: string) => (_client: unknown, _user: unknown, scope: unknown) => {
    seen[name] = scope;
    return undefined;
  };
  const testModel = createTestModel({
    validateScope,
    generateAccessToken: see('generateAccessToken'),
    generateRefreshToken: see('generateRefreshToken'),
    generateAuthorizationCode: see('generateAuthorizationCode'),
  });
  addCode(testModel, { scope: 'read write' });
  addRefreshToken(testModel);
  const outcome = await runOperation(testModel, 'token', tokenRequest({ ...CREDENTIALS, ...body }), options);
  seen['validateScope'] = testModel.calls.find(([method]) => method === 'validateScope')?.[3];
  seen['saveToken'] = outcome.result?.['scope'];
  return { seen, sent: outcome.body['scope'], error: outcome.error };
};

describe('the scope of a token request', () => {
  it('is a string for a model of oauth2-server 3.x', async () => {
    const { seen, sent } = await trace({ scope: 'read write' }, {}, (_u: object, _c: object, scope: string) => scope);
    expect(seen).toEqual({ validateScope: 'read write', generateAccessToken: 'read write', saveToken: 'read write' });
    expect(sent).toBe('read write');
  });

  it('is a list for a model of oauth2-server 5.x, if `scopeFormat` is `array`', async () => {
    const options = { scopeFormat: 'array' };
    const list = ['read', 'write'];
    const { seen, sent } = await trace(
      { scope: 'read write' },
      options,
      (_u: object, _c: object, scope: object) => scope,
    );
    expect(seen).toEqual({ validateScope: list, generateAccessToken: list, saveToken: list });
    expect(sent).toBe('read write');
  });

  it.each([
    ['the requested scope, if it returns true', true, 'read write'],
    ['a string', 'read', 'read'],
    ['a list', ['write'], 'write'],
    ['more than was requested', 'read write extra', 'read write extra'],
    ['nothing, if it returns an empty list', [], undefined],
  ])('becomes the scope that validateScope() returns: %s', async (_, granted, expected) => {
    const { seen, sent } = await trace({ scope: 'read write' }, {}, () => granted);
    expect([sent, seen['saveToken'], seen['generateAccessToken']]).toEqual([expected, expected, expected]);
    const list = (await trace({ scope: 'read write' }, { scopeFormat: 'array' }, () => granted)).seen['saveToken'];
    expect(list).toEqual(expected?.split(' '));
  });

  it.each([false, null, undefined, 0, ''])('is rejected if validateScope() returns %j', async (granted) => {
    const { error } = await trace({ scope: 'read' }, {}, () => granted);
    expect(summary(error)).toBe('400 invalid_scope: Invalid scope: Requested scope is invalid');
  });

  it.each([undefined, '', ' ', '  '])('is undefined for validateScope() if the parameter is %j', async (scope) => {
    const { seen, sent } = await trace({ scope }, {}, () => 'read');
    expect([seen['validateScope'], sent]).toEqual([undefined, 'read']);
    expect((await trace({ scope }, {}, () => true)).sent).toBeUndefined();
  });

  it('is granted as requested if the model does not implement validateScope()', async () => {
    expect((await trace({ scope: 'any thing' }, {}, undefined)).sent).toBe('any thing');
    expect((await trace({}, {}, undefined)).sent).toBeUndefined();
  });

  it('has its values separated by single spaces in the response', async () => {
    expect((await trace({ scope: ' read   write ' }, {}, undefined)).sent).toBe('read write');
  });

  it('has each value once in the response', async () => {
    expect((await trace({ scope: 'read write  read read write' }, {}, undefined)).sent).toBe('read write');
  });

  it('can have 128 values of 256 characters each', async () => {
    const values = Array.from({ length: 128 }, (_, index) => `${index}`.padStart(256, 'x'));
    const scope = values.join(' ');
    expect((await trace({ scope }, {}, undefined)).sent).toBe(scope);
    expect((await trace({ scope: values[0] }, {}, undefined)).sent).toBe(values[0]);
  });

  const MOST = '400 invalid_scope: Invalid scope: at most 128 values of 256 characters each are allowed';
  it.each([
    ['129 values', Array.from({ length: 129 }, (_, index) => index).join(' '), MOST],
    ['a value of 257 characters', 'x'.repeat(257), MOST],
    ['a value of 257 characters among others', `read ${'x'.repeat(257)}`, MOST],
    ['64 KB of values', 'ab '.repeat(22_000), '400 invalid_scope: Invalid parameter: `scope`'],
  ])('is rejected before the model is called if it has %s', async (_, scope, expected) => {
    const refresh = { grant_type: 'refresh_token', refresh_token: 'refresh' };
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    for (const body of [CREDENTIALS, password, refresh]) {
      const { error, seen } = await trace({ ...body, scope }, {}, () => true);
      expect([summary(error), seen]).toEqual([expected, {}]);
    }
    const { error, redirected } = await runOperation(
      createTestModel(),
      'authorize',
      authorizeRequest({ scope }),
      signedIn,
    );
    expect([summary(error), redirected['error']]).toEqual([expected, 'invalid_scope']);
  });

  it.each(['a"b', 'a\\b', 'ä', 'a\tb', 'a\nb', { a: 1 }])('is rejected as malformed if it is %j', async (scope) => {
    const { error } = await trace({ scope }, {}, undefined);
    expect(summary(error)).toBe('400 invalid_scope: Invalid parameter: `scope`');
  });

  it('is rejected if it is repeated', async () => {
    const { error } = await trace({ scope: ['read', 'write'] }, {}, undefined);
    expect(summary(error)).toBe('400 invalid_request: Repeated parameter: `scope`');
  });

  it('is ignored for an authorization code, which has its own scope', async () => {
    const body = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK, scope: 'admin"' };
    expect((await trace(body, {}, undefined)).sent).toBe('read write');
  });

  it('is not validated by the model again if a token is refreshed', async () => {
    const { seen, sent } = await trace({ grant_type: 'refresh_token', refresh_token: 'refresh' }, {}, () => false);
    expect([seen['validateScope'], sent, seen['generateRefreshToken']]).toEqual([
      undefined,
      'read write',
      'read write',
    ]);
  });

  it('has the same format in all model methods of an authorization request', async () => {
    const scopes: unknown[] = [];
    const testModel = createTestModel({
      validateScope: (_u: object, _c: object, scope: unknown) => scopes.push(scope) > 0,
      generateAuthorizationCode: (_c: object, _u: object, scope: unknown) => void scopes.push(scope),
    });
    const { result } = await runOperation(testModel, 'authorize', authorizeRequest({ scope: 'read write' }), signedIn);
    await runOperation(testModel, 'authorize', authorizeRequest({ scope: 'read' }), {
      ...signedIn,
      scopeFormat: 'array',
    });
    expect(scopes).toEqual(['read write', 'read write', ['read'], ['read']]);
    expect(result?.['scope']).toBe('read write');
  });
});
