import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { ApiController } from './api.controller.js';
import { clients, users } from './demo-data.js';
import { HomeController } from './home.controller.js';
import { LoginAndConsent } from './interaction.js';
import { LoginController } from './login.controller.js';
import { secret } from './session.js';

@Module({
  imports: [
    // Brings GET and POST /oauth/authorize and POST /oauth/token.
    OAuth2Module.forRoot({
      // Where clients, codes and tokens are kept: in memory here, your database later.
      model: new MemoryStore({ clients, users }),
      // How the user signs in and agrees.
      interaction: LoginAndConsent,
      secret,
    }),
  ],
  controllers: [HomeController, LoginController, ApiController],
})
export class AppModule {}
