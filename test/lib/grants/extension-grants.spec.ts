import { inherits } from 'node:util';

import { describe, expect, it } from '@jest/globals';
import {
  AbstractGrantType,
  type Client,
  GrantType,
  InvalidArgumentError,
  InvalidGrantError,
  OAuth2Server,
  type Request,
  type Token,
} from 'nest-oauth2/server';

import { createHost, WEB } from '../../support/model.js';
import { answer, summary, tokenRequest } from '../../support/requests.js';

const URI = 'urn:example:extension';
const ask = (
  handler: unknown,
  {
    body = {},
    host = createHost(),
    ...options
  }: Record<string, unknown> & { body?: object; host?: ReturnType<typeof createHost> } = {},
) =>
  answer(host, 'token', tokenRequest({ grant_type: URI, scope: 'read', ...body }), {
    extendedGrantTypes: { [URI]: handler },
    ...options,
  });

/** A grant type as hosts of 3.x wrote them: a function, prototypes, promises, the methods of the abstract one. */
// oxlint-disable-next-line no-explicit-any
function ClassicGrantType(this: any, options: object) {
  (AbstractGrantType as unknown as (...args: unknown[]) => void).call(this, options);
}
inherits(ClassicGrantType, AbstractGrantType);
// oxlint-disable-next-line no-explicit-any
ClassicGrantType.prototype.handle = function (this: any, request: Request, client: Client) {
  if (!request.body.assertion) throw new InvalidGrantError('Invalid grant: no assertion');
  const user = { id: 'asserted' };
  const scope = this.getScope(request);
  return Promise.all([
    this.validateScope(user, client, scope),
    this.generateAccessToken(client, user, scope),
    this.generateRefreshToken(client, user, scope),
    this.getAccessTokenExpiresAt(),
    this.getRefreshTokenExpiresAt(),
  ]).then(([granted, accessToken, refreshToken, accessTokenExpiresAt, refreshTokenExpiresAt]) =>
    this.model.saveToken(
      { accessToken, accessTokenExpiresAt, refreshToken, refreshTokenExpiresAt, scope: granted, custom: true },
      client,
      user,
    ),
  );
};

/** The same as a class that calls `super`, asynchronous, with scopes in lists as in 5.x. */
class ModernGrantType extends AbstractGrantType {
  async handle(request: Request, client: Client): Promise<Token> {
    const user = { id: 'asserted' };
    const scope = await this.validateScope(user, client, this.getScope(request));
    const token = {
      accessToken: await this.generateAccessToken(client, user, scope),
      accessTokenExpiresAt: this.getAccessTokenExpiresAt(),
      refreshToken: await this.generateRefreshToken(client, user, scope),
      refreshTokenExpiresAt: this.getRefreshTokenExpiresAt(),
      scope,
    };
    return (await this.model.saveToken(token, client, user)) as Token;
  }
}

describe('an extension grant', () => {
  it('written for 3.x, by util.inherits, runs unchanged', async () => {
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

  it('written for 3.x works with a model of callbacks and generators', async () => {
    const host = createHost({
      saveToken: (token: object, client: object, user: object, done: (error: null, saved: object) => void) =>
        done(null, { ...token, client, user }),
      *validateScope() {
        yield Promise.resolve();
        return 'read';
      },
    });
    expect((await ask(ClassicGrantType, { body: { assertion: 'x' }, host })).body['scope']).toBe('read');
  });

  it('written for 5.x, as a class, gets its scopes as lists where the host says so', async () => {
    const { result, body } = await ask(ModernGrantType, { scopeFormat: 'array', body: { scope: 'read write' } });
    expect([result?.['scope'], body['scope']]).toEqual([['read', 'write'], 'read write']);
    expect((await ask(ModernGrantType)).result?.['scope']).toBe('read');
  });

  it('may end in issueToken, like the built-in ones', async () => {
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
    const { error } = await ask(Issuing, { host: createHost({ getUserFromClient: undefined }) });
    expect(error?.message).toBe('Invalid argument: model does not implement `getUserFromClient()`');
  });

  it('may extend nothing, and answer at once', async () => {
    class Plain {
      handle(request: Request, client: Client) {
        return { accessToken: 'plain', client, user: { name: request.body.name } };
      }
    }
    const { body, result } = await ask(Plain, { body: { name: 'x' }, host: createHost({ saveToken: undefined }) });
    expect(body).toEqual({ access_token: 'plain', token_type: 'Bearer' });
    expect(result?.['user']).toEqual({ name: 'x' });
  });

  it('is made with lifetimes, model and options, the lifetimes of the client first', async () => {
    let made: Record<string, unknown> = {};
    function Spy(options: typeof made) {
      made = options;
      return { handle: (_: Request, client: Client) => ({ accessToken: 'x', client, user: {} }) };
    }
    const host = createHost();
    host.clients.set('web', { ...WEB, accessTokenLifetime: 7 });
    await ask(Spy, { host, refreshTokenLifetime: 9, alwaysIssueNewRefreshToken: false });
    expect(made).toMatchObject({ accessTokenLifetime: 7, refreshTokenLifetime: 9, alwaysIssueNewRefreshToken: false });
    expect(made['model']).toBe(host.model);
  });

  it('may take the place of a built-in one', async () => {
    class Password {
      handle(_: Request, client: Client) {
        return { accessToken: 'mine', client, user: {} };
      }
    }
    const options = { extendedGrantTypes: { password: Password } };
    const { body } = await answer(createHost(), 'token', tokenRequest({ grant_type: 'password' }), options);
    expect(body['access_token']).toBe('mine');
  });

  it('is found by its own name only', async () => {
    const inherited = Object.create({ [URI]: ModernGrantType }) as object;
    const { error } = await answer(createHost(), 'token', tokenRequest({ grant_type: URI }), {
      extendedGrantTypes: inherited,
    });
    expect(error?.name).toBe('unsupported_grant_type');
  });

  it('is refused to a client that is not allowed it', async () => {
    const host = createHost();
    host.clients.set('web', { ...WEB, grants: ['password'] });
    expect((await ask(ModernGrantType, { host })).error?.name).toBe('unauthorized_client');
  });

  it.each([
    ['is no class', {}],
    ['cannot be constructed', () => ({})],
    [
      'throws',
      class {
        handle() {
          throw new Error('secret');
        }
      },
    ],
    [
      'rejects',
      class {
        handle() {
          return Promise.reject(new Error('secret'));
        }
      },
    ],
    ['has no handle', class {}],
  ])('that %s is a fault of the server, of which nothing is told', async (_, handler) => {
    const { error, status, body } = await ask(handler);
    expect([error?.name, status, body['error']]).toEqual(['server_error', 503, 'server_error']);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it.each([null, undefined, false, {}])('that answers %j is a fault of the host', async (answered) => {
    const { error } = await ask(
      class {
        handle() {
          return answered;
        }
      },
    );
    expect(summary(error)).toBe('500 invalid_argument: Missing parameter: `accessToken`');
  });
});

describe('AbstractGrantType', () => {
  const options = { accessTokenLifetime: 10, refreshTokenLifetime: 20, model: createHost().model };
  // oxlint-disable-next-line no-explicit-any
  const make = (given: unknown) => new (AbstractGrantType as any)(given) as GrantType;

  it.each([
    [{}, 'Missing parameter: `accessTokenLifetime`'],
    [{ accessTokenLifetime: 1 }, 'Missing parameter: `model`'],
    [undefined, 'Missing parameter: `accessTokenLifetime`'],
  ])('made with %j says %s', (given, message) => {
    expect(() => make(given)).toThrow(InvalidArgumentError);
    expect(() => make(given)).toThrow(message);
  });

  it('keeps its options where hosts look for them', () => {
    const { model } = options;
    expect(make({ ...options, alwaysIssueNewRefreshToken: true })).toMatchObject({
      accessTokenLifetime: 10,
      refreshTokenLifetime: 20,
      alwaysIssueNewRefreshToken: true,
      model,
    });
  });

  it('is the same class as GrantType, for instanceof too', () => {
    expect(make(options)).toBeInstanceOf(GrantType);
    expect(make(options)).toBeInstanceOf(AbstractGrantType);
    expect(new ModernGrantType(options)).toBeInstanceOf(AbstractGrantType);
    expect(OAuth2Server.AbstractGrantType).toBe(AbstractGrantType);
  });

  it('reads the scope of a request, or none', () => {
    expect(make(options).getScope(tokenRequest({ scope: 'a b' }))).toBe('a b');
    expect(make(options).getScope(tokenRequest({}))).toBeUndefined();
    expect(make({ ...options, scopeFormat: 'array' }).getScope(tokenRequest({ scope: 'a b' }))).toEqual(['a', 'b']);
    expect(() => make(options).getScope(tokenRequest({ scope: '"' }))).toThrow('Invalid parameter: `scope`');
  });
});
