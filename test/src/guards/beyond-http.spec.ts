import { type ExecutionContext, HttpException, type Type } from '@nestjs/common';
import { describe, expect, it, jest } from '@jest/globals';
import { OAuth2Server, OAuthGuard } from 'nest-oauth2';
import { bearer } from '../../support/http.js';
import { AdminController, model, ReadScopeController } from '../../support/guarded-controllers.js';

describe('OAuthGuard outside of HTTP routes', () => {
  const guard = new OAuthGuard(new OAuth2Server({ model }));
  const request = (token: string) => ({ method: 'POST', headers: bearer(token), query: {}, body: {} });

  /** Returns the execution context that Nest passes to a guard, as far as this guard reads it. */
  const contextOf = (type: string, controller: Type, args: unknown[]) =>
    ({
      getType: () => type,
      getClass: () => controller,
      getHandler: () => ReadScopeController.prototype.byController,
      getArgByIndex: (index: number) => args[index],
    }) as unknown as ExecutionContext;

  it('reads the request of a GraphQL resolver from its context', async () => {
    const req = request('read');
    expect(await guard.canActivate(contextOf('graphql', ReadScopeController, [null, {}, { req }, {}]))).toBe(true);
    expect(req).toMatchObject({ oauth2: { token: { accessToken: 'read' } } });

    const setHeader = jest.fn();
    const refused = contextOf('graphql', AdminController, [null, {}, { req, res: { setHeader } }, {}]);
    await expect(guard.canActivate(refused)).rejects.toThrow(HttpException);
    expect(setHeader.mock.calls).toEqual([
      ['x-accepted-oauth-scopes', 'admin'],
      ['www-authenticate', 'Bearer realm="Service",error="insufficient_scope",scope="admin"'],
    ]);
  });

  it('reads the request of a GraphQL resolver from a Fastify reply in its context', async () => {
    const reply = { request: request('read'), header: jest.fn(), code: jest.fn(), sent: false };
    expect(await guard.canActivate(contextOf('graphql', ReadScopeController, [null, {}, { reply }, {}]))).toBe(true);
    expect(reply.header.mock.calls).toContainEqual(['x-oauth-scopes', 'read']);
  });

  it.each([
    [
      'graphql',
      'finds no request in the GraphQL context: remove the option `context` of GraphQLModule, let it return `{ req }`',
    ],
    ['ws', 'cannot find the request that opened this WebSocket: import OAuth2Module in the application of the gateway'],
    ['carrier-pigeon', "does not support requests of the type 'carrier-pigeon': write your own guard for them"],
  ])('reports a context that it cannot read: %s', async (type, said) => {
    await expect(guard.canActivate(contextOf(type, ReadScopeController, [{}, {}]))).rejects.toThrow(
      `Invalid argument: OAuthGuard ${said}`,
    );
  });

  it('authenticates two fields of one GraphQL query that are guarded concurrently', async () => {
    const req: { oauth2?: unknown; method: string } = request('read');
    const context = contextOf('graphql', ReadScopeController, [null, {}, { req }, {}]);
    await guard.canActivate(context);
    const second = guard.canActivate(context);
    expect(req.oauth2).toMatchObject({ token: { accessToken: 'read' } });
    await second;
  });
});
