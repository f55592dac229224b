import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { OAuth2Module, OAuthGuard } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { issuer } from './address.js';
import { model } from './model.js';
import { NotesController } from './notes.controller.js';
import { scopes } from './scopes.js';

@Module({
  imports: [
    OAuth2Module.forRoot({
      model,
      issuer,
      secret: process.env.OAUTH2_SECRET ?? randomBytes(32).toString('base64url'),
      features: [scopes, serverMetadata(), pages({ site: 'Notes', home: '/docs' })],
    }),
  ],
  controllers: [NotesController],
  providers: [{ provide: APP_GUARD, useClass: OAuthGuard }],
})
export class AppModule {}
