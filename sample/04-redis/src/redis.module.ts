import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

export const REDIS = Symbol('REDIS');

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';

/** The connection, for everything in the application that wants it. */
@Module({
  // A request fails after three attempts to connect instead of waiting for twenty.
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
