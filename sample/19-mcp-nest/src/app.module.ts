import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { mcp } from 'nest-oauth2/mcp';
import { pages } from 'nest-oauth2/pages';
import { issuer } from './address.js';
import { branding } from './branding.js';
import { HomeController } from './home.controller.js';
import { McpController } from './mcp.controller.js';
import { model } from './model.js';
import { Notes } from './notes.js';
import { NotesTools } from './notes.tools.js';
import { scopes } from './scopes.js';

@Module({
  imports: [
    OAuth2Module.forRoot({
      model,
      issuer,
      secret: process.env.OAUTH2_SECRET ?? randomBytes(32).toString('base64url'),
      features: [scopes, pages(branding), mcp({ name: 'Notes', scopes: scopes.names, defaultScope: ['notes:read'] })],
    }),
  ],
  controllers: [HomeController, McpController, NotesTools],
  providers: [Notes],
})
export class AppModule {}
