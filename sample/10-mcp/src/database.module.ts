import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { openDatabase } from './database.js';

/** One connection for the library and for the notes. */
@Module({ providers: [{ provide: DataSource, useFactory: openDatabase }], exports: [DataSource] })
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DataSource) private readonly database: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.destroy();
  }
}
