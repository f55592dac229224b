import { setTimeout } from 'node:timers/promises';

import { InvalidArgumentError, TemporarilyUnavailableError } from '../../errors/index.js';
import type { Deadline, TimedOperation } from '../contract/deadline.js';
import { isPersistentOutage, isOutage } from '../contract/outage.js';
import type { Script } from './lua.js';

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
 * Runs a Lua script and returns its result. Several keys must be on the same server. Reads are scripts too, since
 * drivers send scripts to the primary, while a replica may not know yet that a grant was revoked.
 */
export type RunScript = (script: Script, keys: string | readonly string[], ...values: string[]) => Promise<unknown>;

/** Returns a function that runs Lua scripts with the client of ioredis or node-redis, within the deadline. */
export function scriptRunner(client: RedisClient, deadline: Deadline): RunScript {
  const { bySha, byText, resends } = scriptCommands(client);
  const run = async ({ sha, text }: Script, keyOrKeys: string | readonly string[], values: string[]) => {
    const keys = typeof keyOrKeys === 'string' ? [keyOrKeys] : [...keyOrKeys];
    try {
      return await bySha(sha, keys, values);
    } catch (error) {
      // This Redis node has not seen the script since it started.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return byText(text, keys, values);
    }
  };
  if (resends) return (script, keys, ...values) => deadline.within(() => run(script, keys, values));
  return (script, keys, ...values) =>
    deadline.within((operation) => resend(() => run(script, keys, values), operation));
}

/**
 * Sends a command again after the connection was lost, until the deadline. This is for node-redis: ioredis does it by
 * itself. All scripts may safely run twice.
 */
async function resend(send: () => Promise<unknown>, operation: TimedOperation): Promise<unknown> {
  for (let pause = 8; ; pause = Math.min(pause * 2, 256)) {
    try {
      return await send();
    } catch (error) {
      if (isClosed(error)) throw closedClient(error);
      if (operation.isTimedOut || !isRetryable(error)) throw error;
      operation.reason = `${String(error)}, on every attempt`;
    }
    await setTimeout(Math.random() * pause);
    if (operation.isTimedOut) throw new Error(operation.reason);
  }
}

/** Whether the client of node-redis was not connected, or was closed. */
const isClosed = (error: unknown): boolean => (error as Error | undefined)?.constructor.name === 'ClientClosedError';

/** Returns the error of a closed client of node-redis, whose own message does not say what to do. */
function closedClient(cause: unknown): TemporarilyUnavailableError {
  const message =
    'The client of `redis` is closed: call `await client.connect()` before the application starts, and close the client after it';
  return new TemporarilyUnavailableError(new Error(message, { cause }), { retryAfter: 1 });
}

/**
 * Whether to send a command again after this error. It is useless if the client has no offline queue, since then it does
 * not reconnect.
 */
const isRetryable = (error: unknown) =>
  isOutage(error) && !isPersistentOutage(error) && (error as Error).constructor.name !== 'ClientOfflineError';

type ScriptCommand = (script: string, keys: string[], values: string[]) => Promise<unknown>;

interface ScriptCommands {
  bySha: ScriptCommand;
  byText: ScriptCommand;
  /** Whether the driver itself sends unanswered commands again after the connection was lost. */
  resends: boolean;
}

function scriptCommands(client: RedisClient): ScriptCommands {
  const { evalsha, evalSha } = (client ?? {}) as Partial<IoRedisClient & NodeRedisClient>;
  if (typeof evalsha === 'function') {
    const ioredis = client as IoRedisClient;
    return {
      bySha: (sha, keys, values) => ioredis.evalsha(sha, keys.length, ...keys, ...values),
      byText: (text, keys, values) => ioredis.eval(text, keys.length, ...keys, ...values),
      resends: true,
    };
  }
  if (typeof evalSha === 'function') {
    const nodeRedis = client as NodeRedisClient;
    return {
      bySha: (sha, keys, values) => nodeRedis.evalSha(sha, { keys, arguments: values }),
      byText: (text, keys, values) => nodeRedis.eval(text, { keys, arguments: values }),
      resends: false,
    };
  }
  throw new InvalidArgumentError('Invalid argument: `client` must be a client of `ioredis` or of `redis`');
}

/** Whether the client of the driver is one of a Redis cluster, which distributes keys over several nodes. */
export function isCluster(client: RedisClient): boolean {
  const { isCluster: ofIoRedis, slots } = (client ?? {}) as { isCluster?: boolean; slots?: unknown };
  return ofIoRedis === true || Array.isArray(slots);
}
