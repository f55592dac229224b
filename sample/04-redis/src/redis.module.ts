import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

export const REDIS = Symbol('REDIS');

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';

/** Provides the Redis connection of the application, and closes it at shutdown. */
@Module({
  // Commands fail after three reconnection attempts. The default of ioredis is twenty.
  providers: [{ provide: REDIS, useFactory: () => new Redis(url, { maxRetriesPerRequest: 3 }) }],
  exports: [REDIS],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {
    redis.on('error', (error) => console.error(`Redis: ${error.message}`));
  }

  async onApplicationShutdown() {
    await this.redis.quit();
  }
}
