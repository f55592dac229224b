import { describe, expect, it } from '@jest/globals';

import { OAuth2Server, Response } from 'nest-oauth2/server';
import { addAccessToken, createTestModel } from '../../support/models/model.js';
import { runOperation, resourceRequest, summary } from '../../support/clients/requests.js';

const authenticate = (options: object, token: object = {}, overrides: object = {}) => {
  const testModel = createTestModel(overrides);
  addAccessToken(testModel, token);
  return runOperation(testModel, 'authenticate', resourceRequest(), options);
};
const INSUFFICIENT = '403 insufficient_scope: Insufficient scope: authorized scope is insufficient';

describe('authenticate() with `scope`', () => {
  it.each([
    ['read', 'read write'],
    ['read', ['read', 'write']],
    [['write', 'read'], 'read write'],
    [['write'], ['read', 'write']],
    ['read  write', 'write read'],
  ])('requires the scope %j and accepts a token with the scope %j', async (scope, granted) => {
    expect(summary((await authenticate({ scope }, { scope: granted })).error)).toBe('no error');
  });

  it.each([
    ['admin', 'read write'],
    ['read admin', 'read write'],
    ['rea', 'read write'],
    [['read', 'admin'], ['read']],
    ['read', undefined],
    ['read', null],
    ['read', ''],
    ['read', []],
  ])('requires the scope %j and rejects a token with the scope %j', async (scope, granted) => {
    const { error, status, headers, body } = await authenticate({ scope }, { scope: granted });
    expect(summary(error)).toBe(INSUFFICIENT);
    const required = [scope].flat().join(' ');
    expect({ status, headers, body }).toEqual({
      status: 403,
      headers: {
        'www-authenticate': `Bearer realm="Service",error="insufficient_scope",scope="${required}"`,
        'x-accepted-oauth-scopes': required,
      },
      body: {},
    });
  });

  it('sends the required and the authorized scopes in response headers', async () => {
    const { headers } = await authenticate({ scope: ['read'] }, { scope: ['read', 'write'] });
    expect(headers).toEqual({ 'x-accepted-oauth-scopes': 'read', 'x-oauth-scopes': 'read write' });
  });

  it.each([
    [{ addAcceptedScopesHeader: false }, { 'x-oauth-scopes': 'read write' }],
    [{ addAuthorizedScopesHeader: false }, { 'x-accepted-oauth-scopes': 'read' }],
    [{ addAcceptedScopesHeader: false, addAuthorizedScopesHeader: false }, {}],
    [
      { addAcceptedScopesHeader: undefined, addAuthorizedScopesHeader: undefined },
      { 'x-accepted-oauth-scopes': 'read', 'x-oauth-scopes': 'read write' },
    ],
  ])('sends the scope headers according to the options %j', async (options, headers) => {
    expect((await authenticate({ scope: 'read', ...options })).headers).toEqual(headers);
  });

  it('sends no scope headers if no scope is required', async () => {
    for (const scope of [undefined, '', []]) expect((await authenticate({ scope })).headers).toEqual({});
  });

  it('sends no X-OAuth-Scopes header for a token without scope that verifyScope() accepts', async () => {
    const { headers } = await authenticate({ scope: 'read' }, { scope: undefined }, { verifyScope: () => true });
    expect(headers).toEqual({ 'x-accepted-oauth-scopes': 'read' });
  });

  it('lets verifyScope() of the model decide if it is implemented', async () => {
    const requested: unknown[] = [];
    const verifyScope = (token: { accessToken: string }, scope: unknown) => {
      requested.push([token.accessToken, scope]);
      return false;
    };
    expect(summary((await authenticate({ scope: 'read' }, {}, { verifyScope })).error)).toBe(INSUFFICIENT);
    await authenticate({ scope: 'read write', scopeFormat: 'array' }, {}, { verifyScope });
    await authenticate({}, {}, { verifyScope });
    expect(requested).toEqual([
      ['access', 'read'],
      ['access', ['read', 'write']],
    ]);
  });

  it.each([{}, 1, new Set(['read']), true])('rejects the invalid option value %p', async (scope) => {
    expect(summary((await authenticate({ scope })).error)).toBe('500 invalid_argument: Invalid parameter: `scope`');
  });

  it('fails if the scope of the token is neither a string nor a list', async () => {
    const { error } = await authenticate({ scope: 'read' }, { scope: new Set(['read']) });
    expect(summary(error)).toBe(
      '503 server_error: Server error: the request could not be handled; the server log has the reason',
    );
  });

  it.each([
    ['inherited `scope`', Object.create({ scope: 'admin' }) as object],
    [
      'had `scope` as a getter',
      new (class {
        get scope() {
          return 'admin';
        }
      })(),
    ],
  ])('is enforced for later calls after an options object %s', async (_, options) => {
    const testModel = createTestModel();
    addAccessToken(testModel, { scope: 'read' });
    const server = new OAuth2Server({ model: testModel.model });
    const ask = (given: object | string) => server.authenticate(resourceRequest(), new Response(), given);
    await ask(options).catch(() => undefined);
    await expect(ask('admin')).rejects.toMatchObject({ name: 'insufficient_scope' });
    await expect(ask({ scope: 'admin' })).rejects.toMatchObject({ name: 'insufficient_scope' });
  });
});
