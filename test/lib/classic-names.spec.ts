import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { InvalidArgumentError, OAuth2Server } from 'nest-oauth2/server';

import { createTestModel } from '../support/models/model.js';
import { runOperation, authorizeRequest, signedIn, summary, tokenRequest } from '../support/clients/requests.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a method of oauth2-server 2.x', () => {
  const server = new OAuth2Server({ model: createTestModel().model });

  it.each([
    ['authorise', 'is called `authenticate()` now'],
    ['authCodeGrant', 'is called `authorize()` now'],
    ['grant', 'is called `token()` now'],
    ['errorHandler', 'every operation rejects with an `OAuthError`'],
    ['lockdown', 'call `authenticate()`'],
  ])('throws an error that names its replacement: %s', (name, replacement) => {
    const call = (server as unknown as Record<string, () => unknown>)[name]!;
    expect(call).toThrow(InvalidArgumentError);
    expect(call).toThrow(`Invalid argument: \`${name}()\` of 2.x`);
    expect(call).toThrow(replacement);
  });

  it('is not among the enumerable properties of the server', () => {
    const listed: string[] = [];
    for (const name in server) listed.push(name);
    expect(listed).not.toContain('authorise');
    expect(Object.keys(OAuth2Server.prototype)).toEqual([]);
  });
});

describe('an option of oauth2-server 2.x', () => {
  const warned = (options: object) => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    expect(new OAuth2Server({ model: createTestModel().model, ...options })).toBeInstanceOf(OAuth2Server);
    return warn.mock.calls.map(([warning]) => String(warning));
  };

  it.each([
    ['grants', ['password'], '`getClient()` returns the `grants` of each client instead'],
    ['debug', false, '`inner`'],
    ['clientIdRegex', /^a$/, 'refuse the client in `getClient()` instead'],
    ['passthroughErrors', true, 'every operation rejects with its error instead'],
    ['continueAfterResponse', undefined, 'the application sends the `Response`'],
  ])('causes a warning that names its replacement: %s', (name, value, replacement) => {
    const [warning, ...others] = warned({ [name]: value });
    expect(warning).toContain(`\`${name}\` (`);
    expect(warning).toContain(replacement);
    expect(others).toEqual([]);
  });

  it('causes a single warning together with other options of 2.x', () => {
    expect(warned({ grants: [], debug: true, clientIdRegex: /x/ })).toHaveLength(1);
  });

  it('causes no warning if it is still supported', () => {
    expect(warned({ accessTokenLifetime: 1, allowEmptyState: true })).toEqual([]);
  });
});

describe('a model written for oauth2-server 2.x', () => {
  const implement = (name: string) => `500 invalid_argument: Invalid argument: model does not implement \`${name}()\``;

  it.each([
    ['saveToken', 'saveAccessToken', { grant_type: 'client_credentials' }],
    ['getAuthorizationCode', 'getAuthCode', { grant_type: 'authorization_code' }],
  ])('fails without %s, with a hint that this replaces %s', async (name, old, body) => {
    const { error } = await runOperation(
      createTestModel({ [name]: undefined, [old]: () => null }),
      'token',
      tokenRequest(body),
    );
    expect(summary(error)).toBe(`${implement(name)}; rename \`${old}()\` of version 2.x`);
    const plain = await runOperation(createTestModel({ [name]: undefined }), 'token', tokenRequest(body));
    expect(summary(plain.error)).toBe(implement(name));
  });

  it('fails without saveAuthorizationCode, with a hint that this replaces saveAuthCode', async () => {
    const testModel = createTestModel({ saveAuthorizationCode: undefined, saveAuthCode: () => null } as never);
    const { error } = await runOperation(testModel, 'authorize', authorizeRequest(), signedIn);
    expect(summary(error)).toBe(`${implement('saveAuthorizationCode')}; rename \`saveAuthCode()\` of version 2.x`);
  });

  it('has its grantTypeAllowed() ignored: the `grants` of the client decide', async () => {
    const testModel = createTestModel({ grantTypeAllowed: () => true } as never);
    testModel.clients.set('web', { id: 'web', grants: ['password'] });
    const { error } = await runOperation(testModel, 'token', tokenRequest({ grant_type: 'client_credentials' }));
    expect(summary(error)).toBe(
      '400 unauthorized_client: Unauthorized client: this client is not allowed to use this `grant_type`: register the grant for it',
    );
  });
});
