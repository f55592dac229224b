import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { introspection, resourceIndicators, revocation, serverMetadata } from 'nest-oauth2/features';
import { issuer } from './address.js';
import { model } from './model.js';

@Module({
  imports: [
    // Brings POST /oauth/token. For /oauth/authorize add an `interaction`, as in 01-quick-start: the pages that ask the user.
    OAuth2Module.forRoot({
      model,
      issuer,
      features: [
        // GET /.well-known/oauth-authorization-server: where everything is.
        serverMetadata(),
        // POST /oauth/introspect: what a token is good for.
        introspection(),
        // POST /oauth/revoke: it is good for nothing any more.
        revocation(),
        // Tokens are for one API each. There is one only: it need not be named.
        resourceIndicators({ resources: ['https://notes.example/'] }),
      ],
    }),
  ],
})
export class AppModule {}
