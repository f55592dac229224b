import { Module } from '@nestjs/common';
import { OAuth2Maintenance, OAuth2Module } from 'nest-oauth2';
import { accounts } from 'nest-oauth2/accounts';
import { pages } from 'nest-oauth2/pages';
import { DataSource } from 'typeorm';
import { issuer } from './address.js';
import { branding, scopes } from './branding.js';
import { DatabaseModule } from './database.module.js';
import { openStore } from './database.js';
import { HomeController } from './home.controller.js';
import { MailCatcher, MailsController } from './mail-catcher.js';
import { NotesController } from './notes.controller.js';
import { ReaderController } from './reader.controller.js';
import { secret } from './secret.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [
    DatabaseModule,
    OAuth2Module.forRoot({
      imports: [DatabaseModule],
      model: { inject: [DataSource, UsersService], useFactory: openStore },
      issuer,
      secret,
      features: [
        pages({
          ...branding,
          // The user may refuse this scope on the consent page, and allow the other one.
          optionalScopes: ['notes:write'],
          // The scopes of the login session, on routes with `@AcceptSession()`.
          acceptSessions: { scopes, routes: 'marked' },
          rememberLifetime: 2_592_000,
        }),
        accounts({
          users: { useExisting: UsersService },
          mail: { useExisting: MailCatcher },
          signUp: 'name',
          passkeys: true,
          authenticator: true,
          personalAccessTokens: { scopes, prefix: 'notes' },
          deletion: true,
        }),
      ],
    }),
  ],
  controllers: [HomeController, NotesController, ReaderController, MailsController],
  // Deletes expired rows of the store.
  providers: [OAuth2Maintenance],
})
export class AppModule {}
