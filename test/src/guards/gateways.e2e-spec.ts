import { type IncomingMessage, ServerResponse } from 'node:http';
import {
  type ExecutionContext,
  HttpException,
  Injectable,
  type LoggerService,
  Scope,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  CurrentUser,
  OAuth2Module,
  OAuth2Server,
  type OAuthError,
  OAuthGuard,
  OptionalAuth,
  Public,
  type RefusalContext,
  Scopes,
  type Token,
} from 'nest-oauth2';

import { GatewayClient } from '../../support/clients/gateway-client.js';
import { bearer } from '../../support/clients/http.js';
import { startApplication, stopApplications } from '../../support/servers/test-application.js';
import { AdminController, model, ReadScopeController } from '../../support/servers/guarded-controllers.js';

const connected: unknown[] = [];

@WebSocketGateway()
@UseGuards(OAuthGuard)
@Scopes('read')
class ShelfGateway {
  handleConnection(_client: object, upgrade: { url: string }) {
    connected.push(upgrade.url);
  }

  @SubscribeMessage('read')
  read(@CurrentUser('id') data: string) {
    return { event: 'read', data };
  }

  @SubscribeMessage('write')
  @Scopes('write')
  write() {
    return { event: 'write', data: 'written' };
  }
}

@WebSocketGateway()
class OpenGateway {
  @Public()
  handleConnection() {}

  @SubscribeMessage('closed')
  closed(@CurrentUser('id') data: string) {
    return { event: 'closed', data };
  }

  @SubscribeMessage('optional')
  @OptionalAuth()
  optional(@CurrentUser('id') user: string | undefined) {
    return { event: 'optional', data: user ?? 'nobody' };
  }
}

/** Reads the token from the message, where the application has put it. */
@Injectable()
class MessageGuard extends OAuthGuard {
  protected override getRequest(context: ExecutionContext) {
    const { token } = context.switchToWs().getData<{ token?: string }>();
    return { method: 'GET', headers: token ? bearer(token) : {}, query: {} };
  }

  protected override attach(context: ExecutionContext, token: Token) {
    super.attach(context, { ...token, user: { id: `the user of ${String(token.scope)}` } });
  }

  protected override handleRefusal(context: ExecutionContext, failure: OAuthError, refusal: RefusalContext) {
    return failure.name === 'unauthorized_request' || super.handleRefusal(context, failure, refusal);
  }
}

@WebSocketGateway()
class MessageGateway {
  @SubscribeMessage('who')
  @UseGuards(MessageGuard)
  who(@MessageBody() _data: object, @CurrentUser('id', { optional: true }) user: string | undefined) {
    return { event: 'who', data: user ?? 'nobody' };
  }
}

/** Fails with an error that is no exception of Nest. */
@Injectable()
class FailingGuard extends OAuthGuard {
  override canActivate(): Promise<boolean> {
    return Promise.reject(new TypeError('secret detail'));
  }
}

@WebSocketGateway()
@UseGuards(FailingGuard)
class FailingGateway {
  handleConnection(_client: object, upgrade: { url: string }) {
    connected.push(upgrade.url);
  }
}

describe('a WebSocket gateway behind OAuthGuard', () => {
  afterEach(stopApplications);

  const start = async (
    providers: object[],
    logger?: LoggerService,
    imports = [OAuth2Module.forRoot({ model, controllers: false })],
  ) => {
    const module = { imports, providers: providers as never };
    const prepare = (
      app: ConstructorParameters<typeof WsAdapter>[0] & { useWebSocketAdapter(a: WsAdapter): unknown },
    ) => app.useWebSocketAdapter(new WsAdapter(app));
    return (await startApplication('express', module, { prepare: prepare as never, ...(logger && { logger }) })).url;
  };
  const refused = (error: string) => ({
    event: 'exception',
    data: expect.objectContaining({ status: 'error', error }),
  });

  it('passes only accepted connections to its connection handler', async () => {
    connected.length = 0;
    const url = await start([ShelfGateway]);
    expect(await new GatewayClient(`${url}/?a=1`, 'stolen').closed).toBe(4401);
    expect(await new GatewayClient(`${url}/?a=2`).closed).toBe(4401);
    expect(await new GatewayClient(`${url}/?a=3`, 'read').request('read')).toEqual({ event: 'read', data: 'u' });
    expect(connected).toEqual(['/?a=3']);
  });

  it('rejects a message that lacks a scope, and keeps the connection open', async () => {
    const client = new GatewayClient(await start([ShelfGateway]), 'read');
    expect(await client.request('write')).toEqual({
      event: 'exception',
      data: {
        status: 'error',
        statusCode: 403,
        message: 'Insufficient scope: authorized scope is insufficient',
        error: 'insufficient_scope',
        error_description: 'Insufficient scope: authorized scope is insufficient',
      },
    });
    expect(await client.request('read')).toEqual({ event: 'read', data: 'u' });
  });

  it('closes the connection as a server error if the model fails, without details', async () => {
    const error = jest.fn<LoggerService['error']>();
    const broken = new GatewayClient(await start([ShelfGateway], { error, log() {}, warn() {} }), 'broken');
    expect(await broken.closed).toBe(1011);
    expect(String(error.mock.calls)).toContain('SELECT * FROM tokens');
  });

  it('closes the connection if its guard fails with an error of its own', async () => {
    connected.length = 0;
    const logger = { error: jest.fn(), log() {}, warn() {} };
    expect(await new GatewayClient(await start([FailingGateway], logger), 'read').closed).toBe(1011);
    expect(connected).toEqual([]);
  });

  it('can be guarded globally, with a handshake that needs no token [Nest 12]', async () => {
    const guard = { provide: APP_GUARD, useClass: OAuthGuard };
    const url = await start([guard, OpenGateway]);
    const stranger = new GatewayClient(url);
    expect(await stranger.request('closed')).toEqual(refused('unauthorized_request'));
    expect(await stranger.request('optional')).toEqual({ event: 'optional', data: 'nobody' });
    const client = new GatewayClient(url, 'read');
    expect(await client.request('closed')).toEqual({ event: 'closed', data: 'u' });
    expect(await client.request('optional')).toEqual({ event: 'optional', data: 'u' });
    expect(await new GatewayClient(url, 'stolen').request('optional')).toEqual(refused('invalid_token'));
  });

  it('checks its messages if the model is request-scoped [Nest 12]', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class RequestModel {
      getAccessToken(token: string) {
        return model.getAccessToken!(token);
      }
    }
    const imports = [OAuth2Module.forRoot({ model: RequestModel, controllers: false })];
    const url = await start([ShelfGateway], undefined, imports);
    expect(await new GatewayClient(url, 'read').request('read')).toEqual({ event: 'read', data: 'u' });
    expect(await new GatewayClient(url, 'read').request('write')).toEqual(refused('insufficient_scope'));
    expect(await new GatewayClient(url, 'stolen').request('read')).toEqual(refused('invalid_token'));
  });

  it('can read its token elsewhere, store it differently, and allow a message despite a refusal', async () => {
    const client = new GatewayClient(await start([MessageGateway]));
    expect(await client.request('who', { token: 'read' })).toEqual({ event: 'who', data: 'the user of read' });
    expect(await client.request('who', { token: 'stolen' })).toEqual(refused('invalid_token'));
    expect(await client.request('who', {})).toEqual({ event: 'who', data: 'nobody' });
  });
});

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

  it('reads the token of an RPC message from its member `authorization`, in any case', async () => {
    const message = { other: 'Bearer stolen', Authorization: 'Bearer read' };
    expect(await guard.canActivate(contextOf('rpc', ReadScopeController, [message, {}]))).toBe(true);
  });

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

  it('accepts a request for an event stream without a socket, as on a serverless platform', async () => {
    const req = { ...request('read'), headers: { ...bearer('read'), accept: 'text/event-stream' } };
    const response = new ServerResponse({ method: 'GET' } as IncomingMessage);
    const http = { getRequest: () => req, getResponse: () => Object.assign(response, { header: jest.fn() }) };
    const context = Object.assign(contextOf('http', ReadScopeController, []), { switchToHttp: () => http });
    expect(await guard.canActivate(context)).toBe(true);
  });

  it('searches the payload of a WebSocket connection for its token once, not for each field', async () => {
    const ownKeys = jest.fn(Reflect.ownKeys);
    const connectionParams = new Proxy({ Authorization: 'Bearer read' }, { ownKeys });
    for (const variableValues of [{}, {}, {}]) {
      const args = [null, {}, { req: { connectionParams } }, { variableValues }];
      expect(await guard.canActivate(contextOf('graphql', ReadScopeController, args))).toBe(true);
    }
    expect(ownKeys).toHaveBeenCalledTimes(1);
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
