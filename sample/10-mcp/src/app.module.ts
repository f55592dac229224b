import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { mcp } from 'nest-oauth2/mcp';
import { pages } from 'nest-oauth2/pages';
import { DataSource } from 'typeorm';
import { issuer } from './address.js';
import { openStore } from './database.js';
import { DatabaseModule } from './database.module.js';
import { HomeController } from './home.controller.js';
import { branding } from './branding.js';
import { McpController } from './mcp.controller.js';
import { scopes } from './scopes.js';

@Module({
  imports: [
    DatabaseModule,
    OAuth2Module.forRoot({
      imports: [DatabaseModule],
      model: { inject: [DataSource], useFactory: openStore },
      issuer,
      secret: process.env.OAUTH2_SECRET ?? randomBytes(32).toString('base64url'),
      features: [scopes, pages(branding), mcp({ name: 'Notes', scopes: scopes.names, defaultScope: ['notes:read'] })],
    }),
  ],
  controllers: [HomeController, McpController],
})
export class AppModule {}
