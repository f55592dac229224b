import { describe, expect, it } from '@jest/globals';

import { addCode, addRefreshToken, CALLBACK, createHost } from '../../support/model.js';
import { answer, authorizeRequest, signedIn, summary, tokenRequest } from '../../support/requests.js';

const CREDENTIALS = { grant_type: 'client_credentials' };

/** What the model is asked and told about scopes in one token request. */
const trace = async (body: object, options: object, validateScope: unknown) => {
  const seen: Record<string, unknown> = {};
  const see = (name: string) => (_client: unknown, _user: unknown, scope: unknown) => {
    seen[name] = scope;
    return undefined;
  };
  const host = createHost({
    validateScope,
    generateAccessToken: see('generateAccessToken'),
    generateRefreshToken: see('generateRefreshToken'),
    generateAuthorizationCode: see('generateAuthorizationCode'),
  });
  addCode(host, { scope: 'read write' });
  addRefreshToken(host);
  const outcome = await answer(host, 'token', tokenRequest({ ...CREDENTIALS, ...body }), options);
  seen['validateScope'] = host.calls.find(([method]) => method === 'validateScope')?.[3];
  seen['saveToken'] = outcome.result?.['scope'];
  return { seen, sent: outcome.body['scope'], error: outcome.error };
};

describe('the scope of a grant', () => {
  it('is text for a model of 3.x', async () => {
    const { seen, sent } = await trace({ scope: 'read write' }, {}, (_u: object, _c: object, scope: string) => scope);
    expect(seen).toEqual({ validateScope: 'read write', generateAccessToken: 'read write', saveToken: 'read write' });
    expect(sent).toBe('read write');
  });

  it('is a list for a model of 5.x, where the host says so', async () => {
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
    ['as requested', true, 'read write'],
    ['a text', 'read', 'read'],
    ['a list', ['write'], 'write'],
    ['more than was asked for', 'read write extra', 'read write extra'],
    ['nothing, by an empty list', [], undefined],
  ])('is what the model grants: %s', async (_, granted, expected) => {
    const { seen, sent } = await trace({ scope: 'read write' }, {}, () => granted);
    expect([sent, seen['saveToken'], seen['generateAccessToken']]).toEqual([expected, expected, expected]);
    const list = (await trace({ scope: 'read write' }, { scopeFormat: 'array' }, () => granted)).seen['saveToken'];
    expect(list).toEqual(expected?.split(' '));
  });

  it.each([false, null, undefined, 0, ''])('is refused when the model returns %j', async (granted) => {
    const { error } = await trace({ scope: 'read' }, {}, () => granted);
    expect(summary(error)).toBe('400 invalid_scope: Invalid scope: Requested scope is invalid');
  });

  it.each([undefined, '', ' ', '  '])('that is asked for by %j is none, for the model to settle', async (scope) => {
    const { seen, sent } = await trace({ scope }, {}, () => 'read');
    expect([seen['validateScope'], sent]).toEqual([undefined, 'read']);
    expect((await trace({ scope }, {}, () => true)).sent).toBeUndefined();
  });

  it('is what was asked for when the model does not judge', async () => {
    expect((await trace({ scope: 'any thing' }, {}, undefined)).sent).toBe('any thing');
    expect((await trace({}, {}, undefined)).sent).toBeUndefined();
  });

  it('has its values separated by single spaces', async () => {
    expect((await trace({ scope: ' read   write ' }, {}, undefined)).sent).toBe('read write');
  });

  // Issue 10, 1.3
  it('has each value once', async () => {
    expect((await trace({ scope: 'read write  read read write' }, {}, undefined)).sent).toBe('read write');
  });

  it('may have 128 values, and each of them 256 characters', async () => {
    const values = Array.from({ length: 128 }, (_, index) => `${index}`.padStart(256, 'x'));
    const scope = values.join(' ');
    expect((await trace({ scope }, {}, undefined)).sent).toBe(scope);
    expect((await trace({ scope: values[0] }, {}, undefined)).sent).toBe(values[0]);
  });

  const MOST = '400 invalid_scope: Invalid scope: no more than 128 values of 256 characters each';
  it.each([
    ['129 values', Array.from({ length: 129 }, (_, index) => index).join(' '), MOST],
    ['a value of 257 characters', 'x'.repeat(257), MOST],
    ['a value of 257 characters among others', `read ${'x'.repeat(257)}`, MOST],
    ['64 KB', 'ab '.repeat(22_000), '400 invalid_scope: Invalid parameter: `scope`'],
  ])('is refused before anybody is asked about it when it has %s', async (_, scope, expected) => {
    const refresh = { grant_type: 'refresh_token', refresh_token: 'refresh' };
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    for (const body of [CREDENTIALS, password, refresh]) {
      const { error, seen } = await trace({ ...body, scope }, {}, () => true);
      expect([summary(error), seen]).toEqual([expected, {}]);
    }
    const { error, redirected } = await answer(createHost(), 'authorize', authorizeRequest({ scope }), signedIn);
    expect([summary(error), redirected['error']]).toEqual([expected, 'invalid_scope']);
  });

  it.each(['a"b', 'a\\b', 'ä', 'a\tb', 'a\nb', { a: 1 }])('is not %j', async (scope) => {
    const { error } = await trace({ scope }, {}, undefined);
    expect(summary(error)).toBe('400 invalid_scope: Invalid parameter: `scope`');
  });

  it('is not asked for twice', async () => {
    const { error } = await trace({ scope: ['read', 'write'] }, {}, undefined);
    expect(summary(error)).toBe('400 invalid_request: Repeated parameter: `scope`');
  });

  it('is that of the code, whatever the token request says', async () => {
    const body = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK, scope: 'admin"' };
    expect((await trace(body, {}, undefined)).sent).toBe('read write');
  });

  it('is not asked of the model again when a token is refreshed', async () => {
    const { seen, sent } = await trace({ grant_type: 'refresh_token', refresh_token: 'refresh' }, {}, () => false);
    expect([seen['validateScope'], sent, seen['generateRefreshToken']]).toEqual([
      undefined,
      'read write',
      'read write',
    ]);
  });

  it('is judged and handed on in the same form when a code is given', async () => {
    const scopes: unknown[] = [];
    const host = createHost({
      validateScope: (_u: object, _c: object, scope: unknown) => scopes.push(scope) > 0,
      generateAuthorizationCode: (_c: object, _u: object, scope: unknown) => void scopes.push(scope),
    });
    const { result } = await answer(host, 'authorize', authorizeRequest({ scope: 'read write' }), signedIn);
    await answer(host, 'authorize', authorizeRequest({ scope: 'read' }), { ...signedIn, scopeFormat: 'array' });
    expect(scopes).toEqual(['read write', 'read write', ['read'], ['read']]);
    expect(result?.['scope']).toBe('read write');
  });
});
