import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { UseGuards } from '@nestjs/common';
import { Field, GraphQLModule, ObjectType, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurrentUser, OAuthGuard, OptionalAuth } from 'nest-oauth2';
import { bearer } from '../../support/clients/http.js';
import { startApplication, stopApplications } from '../../support/servers/test-application.js';
import { oauth, storeWithTokens } from '../transports/driver.js';

@ObjectType()
class Shelf {
  @Field(() => String)
  name!: string;
}

/** The guard runs for the queries only, as by default in Nest. */
@Resolver(() => Shelf)
class ShelfResolver {
  @Query(() => Shelf)
  @UseGuards(OAuthGuard)
  shelf() {
    return { name: 'shelf' };
  }

  @Query(() => Shelf)
  @UseGuards(OAuthGuard)
  @OptionalAuth()
  openShelf() {
    return { name: 'open' };
  }

  @ResolveField(() => String)
  owner(@CurrentUser('id') id: string) {
    return `rows of ${id}`;
  }

  @ResolveField(() => String)
  reader(@CurrentUser('id', { optional: true }) id: string | undefined) {
    return id ?? 'nobody';
  }
}

describe('a @CurrentUser() parameter of a GraphQL field that no guard guards', () => {
  let url: string;
  beforeAll(async () => {
    const graphql = GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      graphiql: false,
    });
    const imports = [oauth(await storeWithTokens()), graphql];
    ({ url } = await startApplication('express', { imports, providers: [ShelfResolver] }));
  });
  afterAll(stopApplications);

  const ask = async (query: string, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token ? bearer(token) : {}) };
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    const { data, errors } = (await response.json()) as {
      data?: unknown;
      errors?: { path: string[]; extensions: { code: string } }[];
    };
    return errors ? errors.map(({ extensions }) => extensions.code) : data;
  };

  it('rejects a token without a user, unless it is optional', async () => {
    expect(await ask('{ shelf { name owner } }', 'good')).toEqual({ shelf: { name: 'shelf', owner: 'rows of alice' } });
    expect(await ask('{ shelf { name owner } }', 'machine')).toEqual(['FORBIDDEN']);
    expect(await ask('{ shelf { name reader } }', 'machine')).toEqual({ shelf: { name: 'shelf', reader: 'nobody' } });
  });

  it('rejects a request without a token, unless it is optional', async () => {
    expect(await ask('{ openShelf { owner } }')).toEqual(['UNAUTHENTICATED']);
    expect(await ask('{ openShelf { reader } }')).toEqual({ openShelf: { reader: 'nobody' } });
  });
});
