import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { pages, type Sessions } from 'nest-oauth2/pages';
import { issuer } from './address.js';
import { ClientController } from './client.controller.js';
import { LocalStrategy } from './local.strategy.js';
import { LoginController } from './login.controller.js';
import { look } from './look.js';
import { openStore } from './model.js';
import { NotesController } from './notes.controller.js';
import { endSession, type PassportRequest, startSession } from './passport-request.js';
import { secret } from './secret.js';
import { SessionSerializer } from './session.serializer.js';
import { Users } from './users.js';
import { UsersModule } from './users.module.js';

/** Who is signed in is Passport's word. */
const sessions: Sessions = {
  find: ({ native }) => (native as PassportRequest).user,
  start: (user, { native }) => startSession(native as PassportRequest, user),
  end: ({ native }) => endSession(native as PassportRequest),
};

@Module({
  imports: [
    UsersModule,
    OAuth2Module.forRoot({
      imports: [UsersModule],
      model: { inject: [Users], useFactory: openStore },
      issuer,
      secret,
      features: [
        serverMetadata(),
        // Consent, errors, and the page of the applications; the login page is /login of this application.
        pages({ login: '/login', sessions, ...look }),
      ],
    }),
  ],
  controllers: [LoginController, NotesController, ClientController],
  providers: [LocalStrategy, SessionSerializer],
})
export class AppModule {}
