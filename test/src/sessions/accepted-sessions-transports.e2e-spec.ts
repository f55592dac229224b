import { once } from 'node:events';
import { UseGuards } from '@nestjs/common';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLModule, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { AcceptSession, CurrentUser, OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { SECRET } from '../../support/servers/demo.js';
import { bearer } from '../../support/clients/http.js';
import {
  PLATFORMS,
  type Platform,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';
import { Accounts, SESSION, SignUpController } from './sign-up-application.js';

const ISSUER = 'http://id.example';

@WebSocketGateway()
@UseGuards(OAuthGuard)
@AcceptSession()
class ChatGateway {
  @SubscribeMessage('who')
  who(@CurrentUser('id') data: string) {
    return { event: 'who', data };
  }

  @SubscribeMessage('notes')
  @Scopes('notes:read')
  notes() {
    return { event: 'notes', data: [] };
  }
}

@Resolver()
@UseGuards(OAuthGuard)
@AcceptSession()
class UsersResolver {
  @Query(() => String)
  me(@CurrentUser('id') user: string) {
    return user;
  }

  @Mutation(() => String)
  rename(@CurrentUser('id') user: string) {
    return user;
  }

  @Subscription(() => String)
  async *ticked(@CurrentUser('id') user: string) {
    yield { ticked: user };
  }
}

const DRIVERS = {
  express: () =>
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      graphiql: false,
      subscriptions: { 'graphql-ws': true },
    }),
  fastify: () =>
    GraphQLModule.forRoot<MercuriusDriverConfig>({ driver: MercuriusDriver, autoSchemaFile: true, subscription: true }),
};

/** Starts an application and signs Alice in. Returns the cookie of her session. */
async function start(platform: Platform, kind: 'graphql' | 'ws' | 'io') {
  const store = new Accounts();
  const find = jest.spyOn(store, 'getSession');
  const { url } = await startApplication(
    platform,
    {
      imports: [
        OAuth2Module.forRoot({ model: store, features: [pages()], secret: SECRET, issuer: ISSUER, isGlobal: true }),
        ...(kind === 'graphql' ? [DRIVERS[platform]()] : []),
      ],
      controllers: [SignUpController],
      providers: [{ provide: Accounts, useValue: store }, ...(kind === 'graphql' ? [UsersResolver] : [ChatGateway])],
    },
    {
      prepare: (app) =>
        kind === 'graphql' || app.useWebSocketAdapter(kind === 'ws' ? new WsAdapter(app) : new IoAdapter(app)),
    },
  );
  const browser = new PageBrowser(url);
  await browser.signIn('/oauth/login');
  find.mockClear();
  return { url, store, browser, find, cookie: `${SESSION}=${browser.cookies.get(SESSION)!}` };
}

/** Headers of a handshake by a page of another origin, or without a page. */
const FOREIGN: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'same-site', origin: 'http://app.id.example' },
  { 'sec-fetch-site': 'cross-site', origin: ISSUER },
  {},
];

describe.each(PLATFORMS)('login sessions in the guard of WebSocket gateways on %s', (platform) => {
  afterEach(stopApplications);

  it('accepts the session of a handshake by a page of the issuer only', async () => {
    const { url, cookie, browser } = await start(platform, 'ws');
    const connect = (headers: Record<string, string>) =>
      new WebSocket(url.replace('http', 'ws'), { headers: { cookie, ...headers } });
    for (const headers of [...FOREIGN, { origin: ISSUER, ...bearer('wrong') }]) {
      const socket = connect(headers);
      const [message] = await once(socket, 'message');
      expect(JSON.parse(String(message))).toMatchObject({ event: 'exception', data: { statusCode: 401 } });
      if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
    }
    const socket = connect({ origin: ISSUER });
    await once(socket, 'open');
    const ask = async (event: string) => {
      const reply = once(socket, 'message');
      socket.send(JSON.stringify({ event }));
      return JSON.parse(String((await reply)[0])) as { data: unknown };
    };
    expect((await ask('who')).data).toBe('1');
    expect((await ask('who')).data).toBe('1');
    expect((await ask('notes')).data).toMatchObject({ error: 'insufficient_scope' });
    const closed = once(socket, 'close');
    await browser.post('/sign-out', {});
    await closed;
  });

  it('accepts the session of a handshake of socket.io by a page of the issuer only', async () => {
    const { url, cookie } = await start(platform, 'io');
    const connect = (extraHeaders: Record<string, string>, auth = {}) =>
      io(url, { extraHeaders: { cookie, ...extraHeaders }, auth, transports: ['websocket'], forceNew: true });
    for (const [headers, auth] of [...FOREIGN.map((one) => [one, {}]), [{ origin: ISSUER }, { token: 'wrong' }]]) {
      const socket = connect(headers as Record<string, string>, auth);
      const refused = await new Promise((resolve) => void socket.once('exception', resolve));
      expect(refused).toMatchObject({ statusCode: 401 });
      socket.close();
    }
    const socket = connect({ origin: ISSUER });
    expect(await new Promise((resolve) => void socket.once('who', resolve).emit('who'))).toBe('1');
    socket.close();
  });
});

describe.each(PLATFORMS)('login sessions in the guard of GraphQL on %s', (platform) => {
  afterEach(stopApplications);

  it('accepts the session of queries and mutations by scripts of the same origin, and finds it once', async () => {
    const { url, cookie, find } = await start(platform, 'graphql');
    const ask = async (query: string, given: Record<string, string>) => {
      const headers = { 'content-type': 'application/json', cookie, ...given };
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
      return (await response.json()) as { data: unknown; errors?: { extensions: { code: string } }[] };
    };
    const script = { 'sec-fetch-site': 'same-origin', 'x-requested-with': 'fetch' };
    expect((await ask('{ a: me b: me c: me }', script)).data).toEqual({ a: '1', b: '1', c: '1' });
    expect(find).toHaveBeenCalledTimes(1);
    expect((await ask('mutation { rename }', { origin: ISSUER, 'x-requested-with': 'fetch' })).data).toEqual({
      rename: '1',
    });
    const refused = [
      ...FOREIGN.map((headers) => ({ 'x-requested-with': 'fetch', ...headers })),
      { 'sec-fetch-site': 'same-origin' },
      { ...script, ...bearer('wrong') },
    ];
    for (const headers of refused) {
      const { errors } = await ask('mutation { rename }', headers);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED']);
    }
  });

  it('accepts the session of a subscription by a page of the issuer only', async () => {
    const { url, cookie } = await start(platform, 'graphql');
    const subscribe = async (headers: Record<string, string>, connectionParams = {}) => {
      class Socket extends WebSocket {
        constructor(address: string, protocols: string[]) {
          super(address, protocols, { headers: { cookie, ...headers } });
        }
      }
      const client = createClient({
        url: `${url.replace('http', 'ws')}/graphql`,
        webSocketImpl: Socket,
        connectionParams,
      });
      const result = await new Promise((resolve) => {
        client.subscribe(
          { query: 'subscription { ticked }' },
          { next: resolve, error: resolve, complete: () => undefined },
        );
      });
      await client.dispose();
      return JSON.stringify(result);
    };
    expect(await subscribe({ origin: ISSUER })).toContain('"ticked":"1"');
    for (const headers of FOREIGN) expect(await subscribe(headers)).not.toContain('"ticked":"1"');
    expect(await subscribe({ origin: ISSUER }, { authorization: 'Bearer wrong' })).not.toContain('"ticked":"1"');
  });
});
