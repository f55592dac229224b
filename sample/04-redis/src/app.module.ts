import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { InjectOAuth2Model, OAuth2Module } from 'nest-oauth2';
import { RedisStore } from 'nest-oauth2/stores/redis';
import { REDIS, RedisModule } from './redis.module.js';
import { SessionsController } from './sessions.controller.js';
import { users } from './users.js';

@Module({
  imports: [
    // Adds POST /oauth/token. /oauth/authorize also needs pages: add `pages()` to `features`, as in 01-quick-start.
    OAuth2Module.forRoot({
      imports: [RedisModule],
      model: {
        inject: [REDIS],
        useFactory: (client: Redis) => new RedisStore({ client, users, prefix: 'sample:' }),
      },
    }),
  ],
  controllers: [SessionsController],
})
export class AppModule implements OnApplicationBootstrap {
  constructor(@InjectOAuth2Model() private readonly store: RedisStore) {}

  /** Saves the client of this demo in Redis. A real system adds clients with an admin page or a command. */
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
