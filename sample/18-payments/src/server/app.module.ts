import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { authorizationDetails } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { ciba, openid } from 'nest-oauth2/openid';
import { issuer } from './address.js';
import { Model } from './model.js';
import { payment } from './payment.js';
import { PaymentsController } from './payments.controller.js';
import { PhoneController } from './phone.controller.js';
import { site } from './site.js';

/** Signs forms, and seals the keys that the store keeps. In a real system from the environment. */
const secret = process.env.OAUTH2_SECRET ?? randomBytes(32).toString('base64url');

@Module({
  imports: [
    OAuth2Module.forRoot({
      model: Model,
      issuer,
      secret,
      features: [
        // POST /oauth/backchannel_authentication: a shop has a user asked, and polls.
        ciba(),
        // What they are asked: this payment, and no other.
        authorizationDetails({ types: { payment_initiation: payment } }),
        // Who they are, for the shop: an ID token.
        openid(),
        keys({ secret, algorithms: ['RS256'] }),
        // GET /oauth/login: where they sign in on their telephone.
        site,
      ],
    }),
  ],
  controllers: [PhoneController, PaymentsController],
})
export class AppModule {}
