import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { InjectOAuth2Model, OAuth2Maintenance, OAuth2Module } from 'nest-oauth2';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { options } from './database.js';
import { SessionsController } from './sessions.controller.js';
import { UsersService } from './users.js';

@Module({
  imports: [
    TypeOrmModule.forRoot(options),
    // Adds POST /oauth/token. /oauth/authorize also needs pages: add `pages()` to `features`, as in 01-quick-start.
    OAuth2Module.forRoot({
      extraProviders: [UsersService],
      model: {
        inject: [DataSource, UsersService],
        useFactory: (dataSource: DataSource, users: UsersService) => new TypeOrmStore(dataSource, { users }),
      },
    }),
  ],
  controllers: [SessionsController],
  // Deletes expired rows. Several processes take turns.
  providers: [OAuth2Maintenance],
})
export class AppModule implements OnApplicationBootstrap {
  constructor(@InjectOAuth2Model() private readonly store: TypeOrmStore) {}

  /** Saves the client of this demo in the database. A real system adds clients with an admin page or a command. */
  async onApplicationBootstrap() {
    await this.store.saveClient({
      id: 'demo',
      secret: 'demo-secret',
      // The `password` grant keeps the curl commands short. Applications with a browser use `authorization_code`.
      grants: ['client_credentials', 'password', 'refresh_token'],
      scopes: ['sessions'],
    });
  }
}
