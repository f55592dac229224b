import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { provider } from '../addresses.js';
import { Model } from './model.js';

const secret = randomBytes(32).toString('base64url');

/** A local server that simulates an external provider such as Google. */
@Module({
  imports: [
    OAuth2Module.forRoot({
      model: Model,
      issuer: provider.issuer,
      secret,
      features: [keys({ secret, algorithms: ['RS256'] }), openid(), pages({ site: 'Everybody' })],
    }),
  ],
})
export class AppModule {}
