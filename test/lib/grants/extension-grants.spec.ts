import { describe, expect, it } from '@jest/globals';
import type { Client, Request, Token } from 'nest-oauth2/server';
import { GrantType } from 'nest-oauth2/features';

import { createTestModel, WEB } from '../../support/models/model.js';
import { ClassicGrantType, ModernGrantType } from '../../support/models/extension-grants.js';
import { runOperation, summary, tokenRequest } from '../../support/clients/requests.js';

const URI = 'urn:example:extension';
const ask = (
  handler: unknown,
  {
    body = {},
    testModel = createTestModel(),
    ...options
  }: Record<string, unknown> & { body?: object; testModel?: ReturnType<typeof createTestModel> } = {},
) =>
  runOperation(testModel, 'token', tokenRequest({ grant_type: URI, scope: 'read', ...body }), {
    extendedGrantTypes: { [URI]: handler },
    ...options,
  });

describe('an extension grant in `extendedGrantTypes`', () => {
  it('runs unchanged if it was written for oauth2-server 3.x with util.inherits()', async () => {
    const { body, result } = await ask(ClassicGrantType, {
      body: { assertion: 'x' },
      allowExtendedTokenAttributes: true,
    });
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      scope: 'read',
      custom: true,
    });
    expect(result).toMatchObject({ user: { id: 'asserted' }, client: WEB, scope: 'read' });
    const refused = await ask(ClassicGrantType, { body: { assertion: 'x', scope: 'admin' } });
    expect(summary(refused.error)).toBe('400 invalid_scope: Invalid scope: Requested scope is invalid');
    expect(summary((await ask(ClassicGrantType)).error)).toBe('400 invalid_grant: Invalid grant: no assertion');
  });

  it('works with a model of callbacks and generators if it was written for oauth2-server 3.x', async () => {
    const testModel = createTestModel({
      saveToken: (token: object, client: object, user: object, done: (error: null, saved: object) => void) =>
        done(null, { ...token, client, user }),
      *validateScope() {
        yield Promise.resolve();
        return 'read';
      },
    });
    expect((await ask(ClassicGrantType, { body: { assertion: 'x' }, testModel })).body['scope']).toBe('read');
  });

  it('receives scopes as lists if `scopeFormat` is `array`, as in oauth2-server 5.x', async () => {
    const { result, body } = await ask(ModernGrantType, { scopeFormat: 'array', body: { scope: 'read write' } });
    expect([result?.['scope'], body['scope']]).toEqual([['read', 'write'], 'read write']);
    expect((await ask(ModernGrantType)).result?.['scope']).toBe('read');
  });

  it('can issue its token with issueToken(), like the built-in grants', async () => {
    class Issuing extends GrantType {
      static readonly requires = ['getUserFromClient'] as const;
      async handle(request: Request, client: Client): Promise<Token> {
        return this.issueToken({
          client,
          user: { id: 1 },
          scope: this.getScope(request),
          refreshable: true,
          extra: { a: 1 },
        });
      }
    }
    const { result, body } = await ask(Issuing);
    expect(result).toMatchObject({ a: 1, scope: 'read', user: { id: 1 } });
    expect(body['refresh_token']).toHaveLength(64);
    const { error } = await ask(Issuing, { testModel: createTestModel({ getUserFromClient: undefined }) });
    expect(error?.message).toBe('Invalid argument: model does not implement `getUserFromClient()`');
  });

  it.each([
    ['`requested` is replaced by the validated scope', { scopeStatus: 'requested' }, 'read write', 1],
    ['without a status, the scope counts as `requested`', {}, 'read write', 1],
    ['`consented` is never widened', { scopeStatus: 'consented' }, 'read', 1],
    ['`approved` is not validated again', { scopeStatus: 'approved' }, 'read', 0],
  ] as const)('has its scope validated according to `scopeStatus`: %s', async (_, status, scope, calls) => {
    let requested = 0;
    class Issuing extends GrantType {
      async handle(_request: Request, client: Client): Promise<Token> {
        return this.issueToken({ client, user: { id: 1 }, scope: 'read', ...status });
      }
    }
    const testModel = createTestModel({ validateScope: () => (++requested, 'read write') });
    expect([(await ask(Issuing, { testModel })).body['scope'], requested]).toEqual([scope, calls]);
  });

  it('can be a plain class whose handle() returns the token synchronously', async () => {
    class Plain {
      handle(request: Request, client: Client) {
        return { accessToken: 'plain', client, user: { name: request.body.name } };
      }
    }
    const { body, result } = await ask(Plain, {
      body: { name: 'x' },
      testModel: createTestModel({ saveToken: undefined }),
    });
    expect(body).toEqual({ access_token: 'plain', token_type: 'Bearer' });
    expect(result?.['user']).toEqual({ name: 'x' });
  });

  it('is constructed with model, options and lifetimes, where those of the client take precedence', async () => {
    let made: Record<string, unknown> = {};
    function Spy(options: typeof made) {
      made = options;
      return { handle: (_: Request, client: Client) => ({ accessToken: 'x', client, user: {} }) };
    }
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, accessTokenLifetime: 7 });
    await ask(Spy, { testModel, refreshTokenLifetime: 9, alwaysIssueNewRefreshToken: false });
    expect(made).toMatchObject({ accessTokenLifetime: 7, refreshTokenLifetime: 9, alwaysIssueNewRefreshToken: false });
    expect(made['model']).toBe(testModel.model);
  });

  it('can replace a built-in grant', async () => {
    class Password {
      handle(_: Request, client: Client) {
        return { accessToken: 'mine', client, user: {} };
      }
    }
    const options = { extendedGrantTypes: { password: Password } };
    const { body } = await runOperation(createTestModel(), 'token', tokenRequest({ grant_type: 'password' }), options);
    expect(body['access_token']).toBe('mine');
  });
});
