import { hash } from 'node:crypto';

import { hasCounts } from '../model/counts.js';
import { MemoryCounts, type RequestRate } from './memory-counts.js';

/**
 * A rate limit by key: a maximum number of events in a time window, which starts with the first event of a key.
 * Processes share the counts if the model has `countWithin()`, as the stores of this library do. Otherwise each process
 * counts in its memory, which is bounded.
 */
export class RateLimit {
  private readonly memory: MemoryCounts;

  /** @param name A constant text that distinguishes this limit from all other limits of the model. */
  constructor(
    private readonly name: string,
    private readonly rate: RequestRate,
  ) {
    this.memory = new MemoryCounts(rate);
  }

  /**
   * Counts an event, such as an attempt to sign in. Count it before the work begins, so that concurrent attempts cannot
   * exceed the limit.
   * @param model The model or store that counts. If omitted, the memory of this process does.
   * @returns Seconds to wait if the key has exceeded the limit. Otherwise `0`.
   */
  async add(key: string, model?: object): Promise<number> {
    if (!model || !hasCounts(model)) return this.memory.add(memoryKey(key, model));
    const { count, expiresIn } = await model.countWithin(this.keyOf(key), this.rate.per);
    return count > this.rate.requests ? Math.max(1, Math.ceil(expiresIn / 1000)) : 0;
  }

  /** Takes a counted event back, for example a successful attempt. The count never falls below 0. */
  async giveBack(key: string, model?: object): Promise<void> {
    if (model && hasCounts(model)) await model.countWithin(this.keyOf(key), this.rate.per, -1);
    else this.memory.subtract(memoryKey(key, model));
  }

  private keyOf(key: string): string {
    return JSON.stringify(['limit', this.name, key]);
  }
}

/** A limit and the key under which it counts an attempt. */
export type LimitedBy = readonly [limit: RateLimit, key: string];

/** An attempt that was counted under several limits. */
export interface CountedAttempt {
  /** Seconds to wait if a limit is exceeded. The attempt is then counted under none of the limits. Otherwise `0`. */
  readonly wait: number;
  /** Takes the attempt back from all limits: it succeeded, or it could not be verified. */
  readonly giveBack: () => Promise<void>;
}

/** Counts an attempt under all limits or, if one of them is exceeded, under none. */
export async function countAttempt(limits: readonly LimitedBy[], model?: object): Promise<CountedAttempt> {
  const counted: LimitedBy[] = [];
  const giveBack = async () => {
    await Promise.all(counted.map(([limit, key]) => limit.giveBack(key, model)));
  };
  for (const limitedBy of limits) {
    const [limit, key] = limitedBy;
    counted.push(limitedBy);
    const wait = await limit.add(key, model);
    if (wait === 0) continue;
    await giveBack();
    return { wait, giveBack: async () => undefined };
  }
  return { wait: 0, giveBack };
}

/** Returns a key of a fixed size that distinguishes the models of a process. */
const memoryKey = (key: string, model: object | undefined) =>
  hash('sha256', JSON.stringify([model ? numberOf(model) : null, key]), 'base64url');

const numbers = new WeakMap<object, number>();
let models = 0;

function numberOf(model: object): number {
  const number = numbers.get(model) ?? (models += 1);
  numbers.set(model, number);
  return number;
}
