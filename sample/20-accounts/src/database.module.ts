import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { openDatabase } from './database.js';
import { MailCatcher } from './mail-catcher.js';
import { UsersService } from './users.service.js';

/** Provides what the application and `accounts()` share: the database, the users and the mailer. */
@Module({
  providers: [{ provide: DataSource, useFactory: openDatabase }, UsersService, MailCatcher],
  exports: [DataSource, UsersService, MailCatcher],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DataSource) private readonly database: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.destroy();
  }
}
