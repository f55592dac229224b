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
    // Nothing here knows of tokens: the guard finds them in the header, and in the connection params of a subscription.
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
