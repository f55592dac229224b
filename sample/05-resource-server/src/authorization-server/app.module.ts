import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { introspection, resourceIndicators, revocation, serverMetadata } from 'nest-oauth2/features';
import { issuer } from './address.js';
import { model } from './model.js';

@Module({
  imports: [
    // Adds POST /oauth/token. /oauth/authorize also needs pages: add `pages()` to `features`, as in 01-quick-start.
    OAuth2Module.forRoot({
      model,
      issuer,
      features: [
        // GET /.well-known/oauth-authorization-server: the URLs of all endpoints.
        serverMetadata(),
        // POST /oauth/introspect: returns to an API whether a token is active, its user and its scope.
        introspection(),
        // POST /oauth/revoke: revokes a token.
        revocation(),
        // Each token is for one API. Requests without `resource` get a token for this one.
        resourceIndicators({ resources: ['https://notes.example/'] }),
      ],
    }),
  ],
})
export class AppModule {}
