import { type ExecutionContext, Injectable, type LoggerService, Scope, UseGuards } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  CurrentUser,
  OAuth2Module,
  type OAuthError,
  OAuthGuard,
  OptionalAuth,
  Public,
  type RefusalContext,
  Scopes,
  type Token,
} from 'nest-oauth2';
import { GatewayClient } from '../../support/gateway-client.js';
import { bearer } from '../../support/http.js';
import { startApplication, stopApplications } from '../../support/test-application.js';
import { model } from '../../support/guarded-controllers.js';

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
