import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { ApiController } from './api.controller.js';
import { openStore } from './database.js';
import { HomeController } from './home.controller.js';
import { LoginAndConsent } from './interaction.js';
import { LoginController } from './login.controller.js';
import { secret } from './secret.js';

@Module({
  imports: [
    // Brings GET and POST /oauth/authorize and POST /oauth/token.
    OAuth2Module.forRoot({
      // Where clients, codes and tokens are kept: a file here, your database later.
      model: { useFactory: openStore },
      // How the user signs in and agrees.
      interaction: LoginAndConsent,
      secret,
    }),
  ],
  controllers: [HomeController, LoginController, ApiController],
})
export class AppModule {}
