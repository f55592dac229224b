import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { OAuth2Module } from 'nest-oauth2';
import { issuer } from './address.js';
import { ApiController } from './api.controller.js';
import { openStore } from './database.js';
import { HomeController } from './home.controller.js';
import { ProblemFilter } from './problem.filter.js';
import { secret } from './secret.js';
import { signIn } from './sign-in.js';

@Module({
  imports: [
    // Brings GET and POST /oauth/authorize and POST /oauth/token, and what `features` add.
    OAuth2Module.forRoot({
      // Where clients, codes and tokens are kept: a file here, your database later.
      model: { useFactory: openStore },
      // How the user signs in and agrees: /oauth/login, /oauth/logout, /oauth/applications.
      features: [signIn],
      secret,
      issuer,
    }),
  ],
  controllers: [HomeController, ApiController],
  providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
})
export class AppModule {}
