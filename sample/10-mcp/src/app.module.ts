import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { mcp } from 'nest-oauth2/mcp';
import { pages, urlElicitation } from 'nest-oauth2/pages';
import { upstreams } from 'nest-oauth2/upstreams';
import { DataSource } from 'typeorm';
import { issuer } from './address.js';
import { openStore, users } from './database.js';
import { DatabaseModule } from './database.module.js';
import { provider } from './github/provider.js';
import { GitHubStandIn } from './github/stand-in.controller.js';
import { HomeController } from './home.controller.js';
import { branding } from './branding.js';
import { McpController } from './mcp.controller.js';
import { scopes } from './scopes.js';
import { Tools } from './tools.js';

@Module({
  imports: [
    DatabaseModule,
    OAuth2Module.forRoot({
      imports: [DatabaseModule],
      model: { inject: [DataSource], useFactory: openStore },
      issuer,
      secret: process.env.OAUTH2_SECRET ?? randomBytes(32).toString('base64url'),
      features: [
        scopes,
        pages(branding),
        mcp({ name: 'Notes', scopes: scopes.names, defaultScope: ['notes:read'] }),
        // The tool `list_repositories` calls GitHub with the token of its user, who connects GitHub in a browser.
        upstreams({ vault: true, providers: { github: provider }, accounts: { ...users, create: () => undefined } }),
        urlElicitation(),
      ],
    }),
  ],
  controllers: [HomeController, McpController, GitHubStandIn],
  providers: [Tools],
})
export class AppModule {}
