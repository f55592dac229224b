import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { oidc, upstreams } from 'nest-oauth2/upstreams';
import { issuer, provider } from '../addresses.js';
import { accounts } from './accounts.js';
import { branding } from './branding.js';
import { ClientController } from './client.controller.js';
import { model } from './model.js';
import { NotesController } from './notes.controller.js';
import { secret } from './secret.js';

@Module({
  imports: [
    OAuth2Module.forRoot({
      model,
      issuer,
      secret,
      features: [
        serverMetadata(),
        pages({ password: false, ...branding }),
        upstreams({ accounts, providers: { everybody: oidc({ label: 'Everybody', ...provider }) } }),
      ],
    }),
  ],
  controllers: [NotesController, ClientController],
})
export class AppModule {}
