import 'reflect-metadata';
import { Controller, HttpCode, Inject, Module, Post, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { InjectOAuth2Model, OAuth2Module, OAuth2Server, OAuth2Upstreams } from '../../src/index.js';
import { pages } from '../../src/pages/index.js';
import { oauth, UpstreamUnavailable, upstreams } from '../../src/upstreams/index.js';
import { UPSTREAM_SERVER } from '../../src/upstreams/upstream-server.js';
import { type DatabaseLocation, openStore } from './open-store.js';
import { TraceWriter } from './trace-writer.js';

type Store = Awaited<ReturnType<typeof openStore>>;

/** A database, the URL of the provider whose tokens are stored, and the file of the trace, if one is recorded. */
type Place = DatabaseLocation & { provider: string; trace?: string };

const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined, create: () => undefined };
const clients = { findById: () => undefined };
const place = JSON.parse(process.env['PLACE']!) as Place;
const trace = place.trace === undefined ? undefined : new TraceWriter(place.trace);
const model = await openStore(place, { clients, users });
trace?.recordStore(model);

/** Exposes the vault to the tests. */
@Controller()
class VaultController {
  constructor(
    @InjectOAuth2Model() private readonly store: Store,
    @Inject(OAuth2Server) private readonly server: OAuth2Server,
    @Inject(OAuth2Upstreams) private readonly vault: OAuth2Upstreams,
  ) {}

  /** Stores an expired token with the refresh token `USER:0`. */
  @Post('seed')
  @HttpCode(200)
  async seed(@Query('user') id: string) {
    const identity = { provider: 'acme', iss: place.provider, sub: id };
    await this.store.addIdentity({ ...identity, realm: '', userId: id, linkedAt: 0 });
    const issued = { accessToken: 'old', refreshToken: `${id}:0`, idToken: undefined, scope: 'read', expiresIn: 0 };
    const { vault } = this.server.context.find(UPSTREAM_SERVER)!;
    await vault!.keep({ id }, { ...identity, issued: { ...issued, subject: undefined }, scope: '', isConnected: true });
    return {};
  }

  /** Calls `token()` for a user many times at once. */
  @Post('token')
  @HttpCode(200)
  async token(@Query('user') id: string, @Query('count') count: string) {
    const statements = this.countCalls();
    const results = await Promise.all(
      Array.from({ length: Number(count) }, async () => {
        try {
          return (await this.vault.token({ id }, 'acme')).accessToken;
        } catch (error) {
          return String((error as { reason?: string }).reason ?? error);
        }
      }),
    );
    return { results: [...new Set(results)], finishedAt: Date.now(), statements: statements() };
  }

  @Post('state')
  @HttpCode(200)
  async state(@Query('user') id: string) {
    return this.vault.list({ id });
  }

  /** Refreshes tokens of users until the process is killed. */
  @Post('load')
  @HttpCode(200)
  load(@Query('users') ids: string) {
    for (const id of ids.split(',')) void this.keepRefreshing(id);
    return {};
  }

  private async keepRefreshing(id: string): Promise<void> {
    for (;;) {
      try {
        await this.vault.token({ id }, 'acme');
      } catch (error) {
        if (!(error instanceof UpstreamUnavailable)) return;
      }
    }
  }

  /** Counts the calls of the store until the returned function is called. */
  private countCalls(): () => number {
    let count = 0;
    const names = ['findUpstreamTokens', 'replaceUpstreamTokens'] as const;
    const store = this.store as unknown as Record<string, (...parameters: unknown[]) => unknown>;
    const before = names.map((name) => [name, store[name]!] as const);
    for (const [name, call] of before) {
      store[name] = (...parameters) => {
        count += 1;
        return call.apply(this.store, parameters);
      };
    }
    return () => {
      for (const [name, call] of before) store[name] = call;
      return count;
    };
  }
}

@Module({
  imports: [
    OAuth2Module.forRoot({
      model,
      issuer: 'https://id.example.com',
      secret: 'a secret of the tests with 32 characters',
      features: [
        pages(),
        upstreams({
          accounts: users,
          vault: true,
          ...(trace && { fetch: trace.fetch }),
          providers: {
            acme: oauth({
              clientId: 'us',
              clientSecret: 'secret',
              issuer: place.provider,
              endpoints: { authorization: `${place.provider}/authorize`, token: `${place.provider}/token` },
              apis: [],
              profile: () => ({ sub: '', claims: {} }),
            }),
          },
        }),
      ],
    }),
  ],
  controllers: [VaultController],
})
class VaultModule {}

// Ends this process if its parent dies.
process.on('disconnect', () => process.exit());
const app = await NestFactory.create(VaultModule, { logger: ['error'] });
await app.listen(0, '127.0.0.1');
process.send!({ url: await app.getUrl() });
