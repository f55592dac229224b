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
      // In a real system from the environment: it signs consent forms.
      secret: process.env.OAUTH2_SECRET ?? 'of this demonstration, and of nothing else',
      features: [
        // GET /.well-known/oauth-authorization-server: where everything is.
        serverMetadata(),
        // POST /oauth/device_authorization: a code for the device, and one for its user.
        deviceAuthorization(),
        // GET /oauth/device: where that is entered, and /oauth/login.
        pages({ devices: true, site: 'Notes', scopes: { 'notes:read': 'Read your notes' } }),
      ],
    }),
  ],
  controllers: [NotesController],
})
export class AppModule {}
