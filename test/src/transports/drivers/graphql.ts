import { UseGuards } from '@nestjs/common';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLModule, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { createClient } from 'graphql-ws';
import { OAuthGuard, Scopes, type Token } from 'nest-oauth2';
import { WebSocket } from 'ws';
import { bearer } from '../../../support/clients/http.js';
import { startApplication } from '../../../support/servers/test-application.js';
import { type Driver, firstOf, GivenAll, oauth, reported, type Start } from '../driver.js';

@Resolver()
@UseGuards(OAuthGuard)
@Scopes('notes:read')
class NotesResolver {
  @Query(() => String)
  @GivenAll
  notes(user: string, app: string, token: Token) {
    return reported(user, app, token);
  }

  @Mutation(() => String)
  @GivenAll
  note(user: string, app: string, token: Token) {
    return reported(user, app, token);
  }

  @Subscription(() => String)
  @GivenAll
  async *noted(user: string, app: string, token: Token) {
    for (;;) {
      yield { noted: reported(user, app, token) };
      await new Promise((resolve) => setTimeout(resolve, 20).unref());
    }
  }
}

const DRIVERS = {
  apollo: () =>
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      graphiql: false,
      subscriptions: { 'graphql-ws': true },
    }),
  mercurius: () =>
    GraphQLModule.forRoot<MercuriusDriverConfig>({ driver: MercuriusDriver, autoSchemaFile: true, subscription: true }),
};
export type GraphQLDriver = keyof typeof DRIVERS;

interface Answer {
  data?: Record<string, string> | null;
  errors?: readonly GraphQLFailure[];
}
interface GraphQLFailure {
  extensions?: { code?: string; error?: string };
}

const sayErrors = ([first]: readonly GraphQLFailure[] = []) =>
  `\`${first?.extensions?.code}\` \`${first?.extensions?.error}\``;

const start = (driver: GraphQLDriver, store: Parameters<Start>[0]) =>
  startApplication(driver === 'apollo' ? 'express' : 'fastify', {
    imports: [oauth(store), DRIVERS[driver]()],
    providers: [NotesResolver],
  });

export const operation =
  (driver: GraphQLDriver, query: string): Start =>
  async (store) => {
    const { app, url } = await start(driver, store);
    return {
      async ask(token) {
        const headers = { 'content-type': 'application/json', ...(token ? bearer(token) : {}) };
        const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
        const { data, errors } = (await response.json()) as Answer;
        return errors ? sayErrors(errors) : Object.values(data!)[0]!;
      },
      stop: () => app.close(),
    };
  };

/** Where the token of a subscription is sent. */
export type Place = 'connection params' | 'upgrade header';

export const subscription =
  (driver: GraphQLDriver, place: Place): Start =>
  async (store): Promise<Driver> => {
    const { app, url } = await start(driver, store);
    const connect = (token: string | undefined, closed: (event: unknown) => void) => {
      const headers = token && place === 'upgrade header' ? bearer(token) : {};
      class Client extends WebSocket {
        constructor(address: string, protocols: string) {
          super(address, protocols, { headers });
        }
      }
      const connectionParams =
        token && place === 'connection params' ? { Authorization: `Bearer ${token}` } : undefined;
      const socket = { url: `${url.replace('http', 'ws')}/graphql`, webSocketImpl: Client, retryAttempts: 0 };
      return createClient({ ...socket, connectionParams, on: { closed } });
    };
    const subscribe = (token: string | undefined) => {
      const [first, ended] = [firstOf<string>(), firstOf<string>()];
      const client = connect(token, (event) => {
        const { code, reason } = event as { code: number; reason: string };
        ended.tell(`closed with ${code} \`${reason}\``);
      });
      client.subscribe<Record<string, string>>(
        { query: 'subscription { noted }' },
        {
          next: ({ data, errors }) => first.tell(errors ? sayErrors(errors) : Object.values(data!)[0]!),
          error: (error) => first.tell(Array.isArray(error) ? sayErrors(error) : String(error)),
          complete: () => first.tell('completed'),
        },
      );
      return { client, first: first.reported, ended: ended.reported };
    };
    return {
      async ask(token) {
        const { client, first } = subscribe(token);
        const answer = await first;
        await client.dispose();
        return answer;
      },
      async open(token) {
        const { first, ended } = subscribe(token);
        await first;
        return { ended };
      },
      stop: () => app.close(),
    };
  };
