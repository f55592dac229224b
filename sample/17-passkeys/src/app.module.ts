import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { issuer } from './address.js';
import { ClientController } from './client.controller.js';
import { look } from './look.js';
import { model } from './model.js';
import { NotesController } from './notes.controller.js';
import { PasskeyController } from './passkey.controller.js';
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
        // Consent, errors, and the page of the applications; the login page is /login of this application.
        pages({ login: '/login', sessions, ...look }),
      ],
    }),
  ],
  controllers: [PasskeyController, NotesController, ClientController],
})
export class AppModule {}
