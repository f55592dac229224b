import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Controller, type ExecutionContext, Injectable, type MessageEvent, Sse, UseGuards } from '@nestjs/common';
import { GraphQLModule, Query, Resolver, Subscription } from '@nestjs/graphql';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import {
  clientItself,
  InsufficientScopeError,
  type Model,
  OAuth2Module,
  OAuthGuard,
  RequireAuth,
  Roles,
  Scopes,
  type Token,
  UserRequired,
} from 'nest-oauth2';
import { notifyTokensRevoked, resourceIndicators } from 'nest-oauth2/features';
import { JwtTokens } from 'nest-oauth2/jose';
import { type Observable, NEVER, startWith } from 'rxjs';
import { WebSocket } from 'ws';
import { GatewayClient } from '../../support/clients/gateway-client.js';
import { bearer, get } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const ISSUER = 'https://id.example';
const client = { id: 'app', grants: [] };
const valid = (): Token => ({
  accessToken: 'token',
  accessTokenExpiresAt: new Date(Date.now() + 3_600_000),
  client,
  scope: 'notes',
  user: { id: 'alice', roles: ['editor'], permissions: ['notes:read'] },
  acr: 'mfa',
  auth_time: Math.floor(Date.now() / 1000),
});

/** What the model finds for the token. It may be changed while a stream is open. */
let find: () => Token | undefined;
/** Called when the model was asked for the token. */
let requested: (() => void) | undefined;
const model = {
  getAccessToken() {
    requested?.();
    return find();
  },
} as unknown as Model;

/** Verifies tokens often, and requires a permission, as applications do. */
@Injectable()
class QuickGuard extends OAuthGuard {
  protected override readonly recheck = 0.05;

  protected override attach(context: ExecutionContext, token: Token): void {
    const { permissions = ['notes:read'] } = token.user as { permissions?: string[] };
    if (!permissions.includes('notes:read')) throw new InsufficientScopeError('Insufficient scope: no permission');
    super.attach(context, token);
  }
}

const events = (): Observable<MessageEvent> => NEVER.pipe(startWith({ data: 'begun' }));

@Controller()
@UseGuards(QuickGuard)
class StreamsController {
  @Sse('any')
  any() {
    return events();
  }

  @Sse('scope')
  @Scopes('notes')
  scope() {
    return events();
  }

  @Sse('role')
  @Roles('editor')
  role() {
    return events();
  }

  @Sse('user')
  @UserRequired()
  user() {
    return events();
  }

  @Sse('acr')
  @RequireAuth({ acr: 'mfa' })
  acr() {
    return events();
  }

  @Sse('age')
  @RequireAuth({ maxAge: 3600 })
  age() {
    return events();
  }
}

/** Changes of a valid token after which a stream must end: the stream, and the new token. */
const CHANGES: [string, string, () => Token | undefined][] = [
  ['is revoked', 'scope', () => undefined],
  ['is of another issuer', 'scope', () => ({ ...valid(), issuer: 'https://other.example' })],
  ['lost its scope', 'scope', () => ({ ...valid(), scope: 'other' })],
  ['lost its role', 'role', () => ({ ...valid(), user: { id: 'alice', roles: [] } })],
  ['has no user any more', 'user', () => ({ ...valid(), user: clientItself(client) })],
  ['has a weaker login', 'acr', () => ({ ...valid(), acr: 'pwd' })],
  ['has an older login', 'age', () => ({ ...valid(), auth_time: Math.floor(Date.now() / 1000) - 4000 })],
  ['is for another resource', 'scope', () => ({ ...valid(), resource: ['https://other.example/'] })],
  ['is bound to a key', 'scope', () => ({ ...valid(), cnf: { jkt: 'x'.repeat(43) } })],
  ['lost a permission of the application', 'scope', () => ({ ...valid(), user: { id: 'alice', permissions: [] } })],
];

describe.each(PLATFORMS)('an open event stream on %s', (platform) => {
  beforeEach(() => {
    requested = undefined;
    find = valid;
  });
  afterEach(stopApplications);

  const start = async (of: Model = model) => {
    const features = of === model ? [resourceIndicators({ own: ['https://api.example/'], unrestricted: true })] : [];
    const imports = [OAuth2Module.forRoot({ model: of, issuer: ISSUER, features, controllers: false })];
    return (await startApplication(platform, { imports, controllers: [StreamsController] })).url;
  };
  const open = async (url: string, path: string, token = 'token') => {
    const response = await get(`${url}/${path}`, bearer(token));
    expect(response.status).toBe(200);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain('begun');
    return {
      ended: (async () => {
        while (!(await reader.read()).done);
        return 'ended';
      })(),
      reader,
    };
  };
  const nextLookUp = () => new Promise<void>((resolve) => (requested = resolve));

  it.each(platform === 'fastify' ? [1, 2] : [1])(
    'is forgotten if its client disconnected during the lookup, by HTTP/%d',
    async (version) => {
      const imports = [OAuth2Module.forRoot({ model, issuer: ISSUER, controllers: false })];
      const module = { imports, controllers: [StreamsController] };
      const { app, url } = await startApplication(platform, module, { http2: version === 2 });
      const connected = once(app.getHttpServer(), 'connection') as Promise<[Socket]>;
      let release: (token: Token) => void;
      find = () => new Promise<Token>((resolve) => (release = resolve)) as never;
      const waiting = nextLookUp();
      const headers = bearer('token');
      const request = version === 1 ? http.get(`${url}/any`, { headers }) : http2.connect(url);
      if ('settings' in request) request.request({ ...headers, ':path': '/any' }).on('error', () => undefined);
      request.on('error', () => undefined);
      await waiting;
      const disconnected = once((await connected)[0], 'close');
      request.destroy();
      await disconnected;
      release!(valid());
      await setImmediate();
      let lookUps = 0;
      requested = () => lookUps++;
      notifyTokensRevoked({ userId: 'alice' });
      expect(lookUps).toBe(0);
    },
  );

  it.each(CHANGES)('ends if its token %s', async (_change, path, changed) => {
    const { ended } = await open(await start(), path);
    await nextLookUp();
    find = changed;
    expect(await ended).toBe('ended');
  });

  it('ends if the model rejects its token, as JwtTokens does', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig' }] };
    let isRevoked = false;
    const tokens = new JwtTokens({
      issuer: ISSUER,
      audience: 'https://api.example/',
      jwks,
      isRevoked: () => isRevoked,
    });
    const claims = { client_id: 'app', scope: 'notes', jti: '1' };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
      .setIssuer(ISSUER)
      .setAudience('https://api.example/')
      .setSubject('alice')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
    const { ended } = await open(await start(tokens as never), 'scope', token);
    isRevoked = true;
    expect(await ended).toBe('ended');
  });

  it('stays open during a short outage, and ends if the token cannot be verified for long', async () => {
    const { ended, reader } = await open(await start(), 'scope');
    const away = () => {
      throw new Error('the database is away');
    };
    find = away;
    for (let lookUp = 0; lookUp < 8; lookUp++) await nextLookUp();
    find = valid;
    await nextLookUp();
    await nextLookUp();
    find = away;
    let failures = 0;
    requested = () => failures++;
    await ended;
    expect(failures).toBe(10);
    await reader.cancel();
  });
});

@WebSocketGateway()
@UseGuards(QuickGuard)
class NotesGateway {
  @SubscribeMessage('open')
  open() {
    return { event: 'open', data: 'open' };
  }

  @SubscribeMessage('edit')
  @Roles('editor')
  edit() {
    return { event: 'edit', data: 'edited' };
  }
}

@Resolver()
@UseGuards(QuickGuard)
class NotesResolver {
  @Query(() => String)
  note() {
    return 'note';
  }

  @Subscription(() => String)
  @Roles('editor')
  async *edited() {
    yield { edited: 'begun' };
    await new Promise(() => undefined);
  }
}

describe('an open connection', () => {
  beforeAll(() => {
    requested = undefined;
  });
  beforeEach(() => {
    find = valid;
  });
  afterEach(stopApplications);
  const withoutRole = () => ({ ...valid(), user: { id: 'alice' } });
  const oauth = () => OAuth2Module.forRoot({ model, controllers: false, isGlobal: true });

  const gateway = async () => {
    const module = { imports: [oauth()], providers: [NotesGateway] };
    const prepare = {
      prepare: (app: never) =>
        (app as { useWebSocketAdapter(one: unknown): void }).useWebSocketAdapter(new WsAdapter(app)),
    };
    return new GatewayClient((await startApplication('express', module, prepare)).url, 'token');
  };

  it('of a WebSocket is closed if its user loses a role that an accepted message has required', async () => {
    const editing = await gateway();
    expect(await editing.request('edit')).toEqual({ event: 'edit', data: 'edited' });
    find = withoutRole;
    expect(await editing.closed).toBe(4403);
  });

  it('of a WebSocket stays open if its user loses a role that no accepted message has required', async () => {
    const reading = await gateway();
    expect(await reading.request('open')).toEqual({ event: 'open', data: 'open' });
    find = withoutRole;
    for (let lookUp = 0; lookUp < 3; lookUp++) await new Promise<void>((resolve) => (requested = resolve));
    expect(await reading.request('open')).toEqual({ event: 'open', data: 'open' });
    expect(await reading.request('edit')).toMatchObject({ event: 'exception', data: { error: 'insufficient_scope' } });
  });

  it('of a GraphQL subscription is closed if its user loses a role that the subscription requires', async () => {
    const graphql = GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      graphiql: false,
      subscriptions: { 'graphql-ws': true },
    });
    const { url } = await startApplication('express', { imports: [oauth(), graphql], providers: [NotesResolver] });
    let begun: () => void;
    const first = new Promise<void>((resolve) => (begun = resolve));
    const closed = new Promise<number>((resolve) => {
      const socket = createClient({
        url: `${url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        connectionParams: bearer('token'),
        on: { closed: (event) => resolve((event as { code: number }).code) },
      });
      socket.subscribe(
        { query: 'subscription { edited }' },
        { next: () => begun(), error: () => undefined, complete: () => undefined },
      );
    });
    await first;
    find = withoutRole;
    expect(await closed).toBe(4403);
  });
});
