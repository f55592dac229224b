import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { OAuth2Module } from 'nest-oauth2';
import { revocation } from 'nest-oauth2/features';
import { model } from './model.js';
import { NotesResolver } from './notes.resolver.js';

@Module({
  imports: [
    OAuth2Module.forRoot({ model, features: [revocation()] }),
    // Apollo needs no token options. The guard reads tokens from headers and from the subscription's connection params.
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      graphiql: false,
      subscriptions: { 'graphql-ws': true },
    }),
  ],
  providers: [NotesResolver],
})
export class AppModule {}
