import { InvalidArgumentError } from '../../errors.js';
import type { Script } from './scripts.js';

/** A client of `ioredis`: `new Redis()` or `new Cluster()`. */
export interface IoRedisClient {
  evalsha(sha: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
}

/** A client of `redis`: `createClient()`, `createCluster()`, `createSentinel()` or `createClientPool()`, connected. */
export interface NodeRedisClient {
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

export type RedisClient = IoRedisClient | NodeRedisClient;

/**
 * Runs a script on a key. Reads are scripts as well: drivers send those to the primary, never to a replica, which
 * might not yet know that a grant was revoked.
 */
export type RunScript = (script: Script, key: string, ...values: string[]) => Promise<unknown>;

/** Makes one thing of the two drivers. */
export function scriptRunner(client: RedisClient): RunScript {
  const { bySha, byText } = doors(client);
  return async ({ sha, text }, key, ...values) => {
    try {
      return await bySha(sha, key, values);
    } catch (error) {
      // This node has not seen the script since it started.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return byText(text, key, values);
    }
  };
}

type Door = (script: string, key: string, values: string[]) => Promise<unknown>;

function doors(client: RedisClient): { bySha: Door; byText: Door } {
  const { evalsha, evalSha } = (client ?? {}) as Partial<IoRedisClient & NodeRedisClient>;
  if (typeof evalsha === 'function') {
    const ioredis = client as IoRedisClient;
    return {
      bySha: (sha, key, values) => ioredis.evalsha(sha, 1, key, ...values),
      byText: (text, key, values) => ioredis.eval(text, 1, key, ...values),
    };
  }
  if (typeof evalSha === 'function') {
    const nodeRedis = client as NodeRedisClient;
    return {
      bySha: (sha, key, values) => nodeRedis.evalSha(sha, { keys: [key], arguments: values }),
      byText: (text, key, values) => nodeRedis.eval(text, { keys: [key], arguments: values }),
    };
  }
  throw new InvalidArgumentError('Invalid argument: `client` must be a client of ioredis or of redis');
}
