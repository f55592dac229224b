import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { deviceAuthorization, serverMetadata } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { issuer } from './address.js';
import { model } from './model.js';
import { NotesController } from './notes.controller.js';

@Module({
  imports: [
    OAuth2Module.forRoot({
      model,
      issuer,
      // Signs consent forms. In production, set it in the environment.
      secret: process.env.OAUTH2_SECRET ?? 'a secret for this demo only, of 32 characters or more',
      features: [
        // GET /.well-known/oauth-authorization-server: the URLs of all endpoints.
        serverMetadata(),
        // POST /oauth/device_authorization: issues a device code for the device and a user code for the user.
        deviceAuthorization(),
        // GET /oauth/device: the page where users enter the user code. Also adds /oauth/login.
        pages({ devices: true, site: 'Notes', scopes: { 'notes:read': 'Read your notes' } }),
      ],
    }),
  ],
  controllers: [NotesController],
})
export class AppModule {}
