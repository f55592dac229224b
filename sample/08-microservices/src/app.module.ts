import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { OAuth2Module, OAuthGuard } from 'nest-oauth2';
import { revocation } from 'nest-oauth2/features';
import { model } from './model.js';
import { NotesController } from './notes.controller.js';

@Module({
  imports: [OAuth2Module.forRoot({ model, features: [revocation()] })],
  controllers: [NotesController],
  // The guard protects HTTP, TCP and gRPC. The microservices inherit it: see `inheritAppConfig` in main.ts.
  providers: [{ provide: APP_GUARD, useClass: OAuthGuard }],
})
export class AppModule {}
