import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { openDatabase } from './database.js';

/** Provides the database connection that the library and the notes share. */
@Module({ providers: [{ provide: DataSource, useFactory: openDatabase }], exports: [DataSource] })
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DataSource) private readonly database: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.destroy();
  }
}
