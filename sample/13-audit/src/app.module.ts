import { Module } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import { revocation } from 'nest-oauth2/features';
import { DataSource } from 'typeorm';
import { AuditTrail } from './audit-trail.js';
import { AuditController } from './audit.controller.js';
import { DatabaseModule } from './database.module.js';
import { openStore } from './model.js';

@Module({
  imports: [
    DatabaseModule,
    OAuth2Module.forRoot({
      imports: [DatabaseModule],
      model: { inject: [DataSource], useFactory: openStore },
      features: [revocation()],
    }),
  ],
  controllers: [AuditController],
  // The library discovers the `@OnOAuth2Event()` methods of all providers.
  providers: [AuditTrail],
})
export class AppModule {}
