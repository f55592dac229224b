import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { InjectOAuth2Model, OAuth2Module } from 'nest-oauth2';
import { RedisStore } from 'nest-oauth2/stores/redis';
import { REDIS, RedisModule } from './redis.module.js';
import { SessionsController } from './sessions.controller.js';
import { users } from './users.js';

@Module({
  imports: [
    // Brings POST /oauth/token. For /oauth/authorize add an `interaction`, as in 01-quick-start: the pages that ask the user.
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

  /** Clients live in Redis too. A system of your own has a page or a command that adds them. */
  async onApplicationBootstrap() {
    await this.store.saveClient({
      id: 'demo',
      secret: 'demo-secret',
      // `password` keeps the lines to paste short; an application with a browser uses `authorization_code`.
      grants: ['client_credentials', 'password', 'refresh_token'],
      scopes: ['sessions'],
    });
  }
}
