import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { revocation } from 'nest-oauth2/features';
import { model } from './model.js';
import { NotesGateway } from './notes.gateway.js';

@Module({
  imports: [OAuth2Module.forRoot({ model, features: [revocation()], accessTokenLifetime: 3 })],
  providers: [NotesGateway],
})
export class AppModule {}
