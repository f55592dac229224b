import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { logout, openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { browser, issuer } from '../addresses.js';
import { HomeController } from './home.controller.js';
import { Model } from './model.js';

/** The secret that signs consent forms and encrypts the stored keys. In production, set it in the environment. */
const secret = process.env.OAUTH2_SECRET ?? randomBytes(32).toString('base64url');

@Module({
  imports: [
    OAuth2Module.forRoot({
      model: Model,
      issuer,
      secret,
      // Allow the browser client, which has another origin, to call the endpoints.
      cors: { origins: [browser] },
      features: [
        serverMetadata(),
        // Sign ID tokens with RS256, which every OpenID Connect client supports.
        keys({ secret, algorithms: ['RS256'] }),
        openid(),
        // Notifies clients when a user signs out. The SSRF protection would otherwise block the client's loopback URL.
        logout({ fetch: { allowLoopback: true } }),
        pages({ site: 'Wonderland' }),
      ],
    }),
  ],
  controllers: [HomeController],
})
export class AppModule {}
