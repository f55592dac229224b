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
import { HomeController, PhoneController } from './phone.controller.js';
import { site } from './site.js';

/** The secret that signs forms and encrypts the stored keys. In production, set it in the environment. */
const secret = process.env.OAUTH2_SECRET ?? randomBytes(32).toString('base64url');

@Module({
  imports: [
    OAuth2Module.forRoot({
      model: Model,
      issuer,
      secret,
      features: [
        // POST /oauth/backchannel_authentication: a shop requests the approval of a user, and then polls for tokens.
        ciba(),
        // The user approves one specific payment.
        authorizationDetails({ types: { payment_initiation: payment } }),
        // The shop receives an ID token of the user.
        openid(),
        keys({ secret, algorithms: ['RS256'] }),
        // GET /oauth/login: the page where the user signs in on the phone.
        site,
      ],
    }),
  ],
  controllers: [HomeController, PhoneController, PaymentsController],
})
export class AppModule {}
