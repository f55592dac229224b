import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { logout, openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { browser, issuer } from '../addresses.js';
import { Model } from './model.js';

/** Signs consent forms, and seals the keys that the store keeps. In a real system from the environment. */
const secret = process.env.OAUTH2_SECRET ?? randomBytes(32).toString('base64url');

@Module({
  imports: [
    OAuth2Module.forRoot({
      model: Model,
      issuer,
      secret,
      // The page of another origin may ask for its tokens.
      cors: { origins: [browser] },
      features: [
        serverMetadata(),
        // ID tokens are signed by RS256, which every client understands.
        keys({ secret, algorithms: ['RS256'] }),
        openid(),
        // The tea party hears when Alice signs out elsewhere; it is on this machine, where nobody else's server is asked.
        logout({ fetch: { allowLoopback: true } }),
        pages({ site: 'Wonderland' }),
      ],
    }),
  ],
})
export class AppModule {}
