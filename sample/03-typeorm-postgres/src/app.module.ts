import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { InjectOAuth2Model, OAuth2Module } from 'nest-oauth2';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { options } from './database.js';
import { SessionsController } from './sessions.controller.js';
import { UsersOfTheTable } from './users.js';

const HOUR = 3_600_000;

@Module({
  imports: [
    TypeOrmModule.forRoot(options),
    // Brings POST /oauth/token. For /oauth/authorize add an `interaction`, as in 01-quick-start: the pages that ask the user.
    OAuth2Module.forRoot({
      extraProviders: [UsersOfTheTable],
      model: {
        inject: [DataSource, UsersOfTheTable],
        useFactory: (dataSource: DataSource, users: UsersOfTheTable) => new TypeOrmStore(dataSource, { users }),
      },
    }),
  ],
  controllers: [SessionsController],
})
export class AppModule implements OnApplicationBootstrap {
  constructor(@InjectOAuth2Model() private readonly store: TypeOrmStore) {}

  /** Clients live in the database too. A system of your own has a page or a command that adds them. */
  async onApplicationBootstrap() {
    await this.store.saveClient({
      id: 'demo',
      secret: 'demo-secret',
      // `password` keeps the lines to paste short; an application with a browser uses `authorization_code`.
      grants: ['client_credentials', 'password', 'refresh_token'],
      scopes: ['sessions'],
    });
    // What has expired is deleted now and then; it does no harm when several processes do it.
    setInterval(() => void this.store.prune().catch(console.error), HOUR).unref();
  }
}
