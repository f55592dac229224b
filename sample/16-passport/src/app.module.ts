import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { pages, type Sessions } from 'nest-oauth2/pages';
import { issuer } from './address.js';
import { ClientController } from './client.controller.js';
import { LocalStrategy } from './local.strategy.js';
import { LoginController } from './login.controller.js';
import { branding } from './branding.js';
import { openStore } from './model.js';
import { NotesController } from './notes.controller.js';
import { endSession, type PassportRequest, startSession } from './passport-request.js';
import { secret } from './secret.js';
import { SessionSerializer } from './session.serializer.js';
import { Users } from './users.js';
import { UsersModule } from './users.module.js';

/** The adapter from which the library's pages read the user that Passport has signed in. */
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
        // The pages for consent, errors and connected applications. This application serves its own login page, /login.
        pages({ login: '/login', sessions, ...branding }),
      ],
    }),
  ],
  controllers: [LoginController, NotesController, ClientController],
  providers: [LocalStrategy, SessionSerializer],
})
export class AppModule {}
