import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { OAuth2Module } from 'nest-oauth2';
import { issuer } from './address.js';
import { ApiController } from './api.controller.js';
import { openStore } from './database.js';
import { HomeController } from './home.controller.js';
import { ErrorPageFilter } from './error-page.filter.js';
import { secret } from './secret.js';
import { signIn } from './sign-in.js';

@Module({
  imports: [
    // Adds GET and POST /oauth/authorize, POST /oauth/token and the routes of the `features`.
    OAuth2Module.forRoot({
      // Stores clients, codes and tokens: in a file here, in your own database later.
      model: { useFactory: openStore },
      // Adds the pages for login, consent and sign-out: /oauth/login, /oauth/logout, /oauth/applications.
      features: [signIn],
      secret,
      issuer,
    }),
  ],
  controllers: [HomeController, ApiController],
  providers: [{ provide: APP_FILTER, useClass: ErrorPageFilter }],
})
export class AppModule {}
