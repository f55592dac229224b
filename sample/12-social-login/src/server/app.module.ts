import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { issuer } from '../addresses.js';
import { ClientController } from './client.controller.js';
import { LoginController } from './login.controller.js';
import { branding } from './branding.js';
import { model } from './model.js';
import { NotesController } from './notes.controller.js';
import { secret } from './secret.js';
import { sessions } from './sessions.js';

@Module({
  imports: [
    OAuth2Module.forRoot({
      model,
      issuer,
      secret,
      features: [
        serverMetadata(),
        // The pages for consent, errors and connected applications. /login redirects to the external provider.
        pages({ login: '/login', sessions, ...branding }),
      ],
    }),
  ],
  controllers: [LoginController, NotesController, ClientController],
})
export class AppModule {}
