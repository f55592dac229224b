import { EventEmitter } from 'node:events';
import { UseGuards } from '@nestjs/common';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLModule, Query, Resolver, Subscription } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { WebSocket } from 'ws';
import { bearer } from '../../support/clients/http.js';
import { startApplication, stopApplications } from '../../support/servers/test-application.js';
import { storeWithTokens } from '../transports/driver.js';

@Resolver()
@UseGuards(OAuthGuard)
class FieldsResolver {
  @Query(() => String)
  @Scopes('notes:read')
  notes() {
    return 'notes';
  }

  @Query(() => String)
  @Scopes('other')
  other() {
    return 'other';
  }

  @Subscription(() => String)
  @Scopes('notes:read')
  async *noted() {
    yield { noted: 'noted' };
  }
}

const MANY = `{ ${Array.from({ length: 50 }, (_, index) => `f${index}: notes`).join(' ')} other }`;

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

async function start(platform: keyof typeof DRIVERS) {
  const store = await storeWithTokens();
  const find = jest.spyOn(store, 'getAccessToken');
  const refused: unknown[] = [];
  const events = new EventEmitter().on('access.refused', (event) => refused.push(event));
  const { url } = await startApplication(platform, {
    imports: [OAuth2Module.forRoot({ model: store, controllers: false, isGlobal: true, events }), DRIVERS[platform]()],
    providers: [FieldsResolver],
  });
  const ask = async (token: string, query = MANY) => {
    const headers = { 'content-type': 'application/json', ...bearer(token) };
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return (await response.json()) as { errors?: { extensions: { error: string } }[] };
  };
  return { url, find, refused, ask };
}

describe.each(['express', 'fastify'] as const)('a GraphQL query with many guarded fields on %s', (platform) => {
  afterEach(stopApplications);

  it('looks up its access token once', async () => {
    const { ask, find } = await start(platform);
    const { errors } = await ask('good');
    expect(errors?.map(({ extensions }) => extensions.error)).toEqual(['insufficient_scope']);
    expect(find).toHaveBeenCalledTimes(1);
    await ask('good');
    expect(find).toHaveBeenCalledTimes(2);
  });

  it('looks up an unknown access token once, and reports the refusal once for each scope', async () => {
    const { ask, find, refused } = await start(platform);
    const { errors } = await ask('unknown');
    expect(new Set(errors?.map(({ extensions }) => extensions.error))).toEqual(new Set(['invalid_token']));
    expect(find).toHaveBeenCalledTimes(1);
    expect(refused.length).toBeLessThanOrEqual(2);
  });

  it('looks up the access token again for each operation of a WebSocket', async () => {
    const { url, find } = await start(platform);
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: 'Bearer good' },
      lazy: false,
      retryAttempts: 0,
    });
    const first = (query: string) =>
      new Promise((resolve) => {
        client.subscribe({ query }, { next: resolve, error: resolve, complete: () => undefined });
      });
    expect(await first('subscription { noted }')).toMatchObject({ data: { noted: 'noted' } });
    const before = find.mock.calls.length;
    find.mockResolvedValue(undefined);
    const again = JSON.stringify(await first('subscription { noted }'));
    expect(again).toContain('invalid_token');
    expect(find.mock.calls.length).toBeGreaterThan(before);
    await client.dispose();
  });
});
