import { AsyncLocalStorage } from 'node:async_hooks';

import { keepRecent } from '../../crypto/lru.js';
import { TemporarilyUnavailableError } from '../../errors/index.js';
import type { Deadline } from '../contract/deadline.js';
import { currentTenant } from '../contract/fair-share.js';

/** Maximum number of calls of one statement. */
const MAX_SIZE = 64;
/** Maximum number of statements in flight. With a higher number, fewer calls share a statement. */
const MAX_IN_FLIGHT = 2;
/** Milliseconds after which a statement in flight counts as slow, so that a second one may be sent beside it. */
const SLOW = 1;
/** Milliseconds after which a statement in flight no longer makes calls wait: its connection may be broken. */
const PATIENCE = 50;
/** The cause in the error of a call that waited until the deadline. */
const NO_RESPONSE =
  'the statements of this process got no response. The database does not respond, or no connection is free because ' +
  'the store was called inside `transaction()` while transactions held every connection';

/** The option that combines concurrent calls. */
export interface BatchingOption {
  /**
   * Whether concurrent look-ups of tokens and clients are combined into one statement, and concurrent saves of new tokens
   * into another one. This reduces the load of the database. A call first waits for the statement in flight, if there is
   * one: a millisecond or two. SQLite does not use it. Default: `true`.
   */
  batching?: boolean;
}

/** The statements for one kind of call. */
export interface Statements<Given, Result> {
  runOne: (given: Given) => Promise<Result>;
  /** Runs several calls in one statement or transaction. Returns a result for each call, in the same order. */
  runMany: (all: readonly Given[]) => Promise<readonly Result[]>;
  /**
   * Whether an error means that `runMany()` had no effect or may be repeated. If omitted, it may always be repeated,
   * because it only reads.
   */
  hadNoEffect?: (error: unknown) => boolean;
  /** Returns a key. Calls with the same key never share a statement. If omitted, any calls may share one. */
  keyOf?: (given: Given) => string;
}

/** A call that waits until a statement can take it. */
interface Waiting<Given, Result> {
  readonly given: Given;
  readonly tenant: object | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** Called when a statement takes the call. From then on, only the deadline of the statement applies. */
  readonly taken: () => void;
}

/**
 * Combines concurrent calls into shared statements. A call is sent at once if no statement is in flight. Otherwise it
 * waits until that statement ends, and the calls that wait are sent together. If a single statement in flight takes
 * longer than a millisecond, they are sent beside it. A call never joins a statement that was sent before: the result of
 * a look-up might be older than a write that was already acknowledged.
 *
 * Tenants take turns: each statement takes one waiting call of each tenant, then a second one, until it is full. So a
 * tenant with thousands of waiting calls does not delay the calls of another tenant.
 */
export class Batches<Given, Result> {
  /** The waiting calls of each tenant. The tenant whose turn is next comes first. Each set has a call. */
  private readonly waiting = new Map<object | undefined, Set<Waiting<Given, Result>>>();
  /** The times at which the statements in flight were sent. */
  private readonly inFlight = new Set<{ readonly sentAt: number }>();
  /** Sends the calls that wait for a slow statement. `undefined` if no call waits. */
  private timer: NodeJS.Timeout | undefined;
  /** Runs a function outside of the async context of any request, because a statement may serve several requests. */
  private readonly withoutContext = AsyncLocalStorage.snapshot();

  constructor(
    private readonly statements: Statements<Given, Result>,
    private readonly deadline: Deadline,
  ) {}

  /** Returns the result of a call. */
  run(given: Given): Promise<Result> {
    if (this.isFree() && this.waiting.size === 0) return this.count(() => this.statements.runOne(given));
    const result = new Promise<Result>((resolve, reject) => {
      // Limits the time until a statement takes the call. If it also limited the statement, a call could fail here a
      // moment before its statement is sent, and have an effect all the same.
      const turn = this.deadline.within<void>(
        (operation) =>
          new Promise((taken) => {
            const waiting = { given, tenant: currentTenant(), resolve, reject, taken };
            this.add(waiting);
            operation.reason = NO_RESPONSE;
            operation.cancel = () => this.remove(waiting);
          }),
      );
      turn.catch(reject);
    });
    this.send();
    this.sendLater();
    return result;
  }

  private add(waiting: Waiting<Given, Result>): void {
    const calls = this.waiting.get(waiting.tenant);
    if (calls) calls.add(waiting);
    else this.waiting.set(waiting.tenant, new Set([waiting]));
  }

  private remove(waiting: Waiting<Given, Result>): void {
    const calls = this.waiting.get(waiting.tenant);
    if (calls?.delete(waiting) && calls.size === 0) this.waiting.delete(waiting.tenant);
  }

  /** Sends the calls that still wait when the statements in flight are slow. */
  private sendLater(): void {
    if (this.waiting.size === 0) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.send();
      this.sendLater();
    }, SLOW + 1);
  }

  /** Whether another statement may be sent now. */
  private isFree(): boolean {
    let count = 0;
    const now = performance.now();
    for (const { sentAt } of this.inFlight) {
      if (sentAt > now - SLOW) return false;
      if (sentAt > now - PATIENCE) count++;
    }
    return count < MAX_IN_FLIGHT;
  }

  private send(): void {
    while (this.waiting.size > 0 && this.isFree()) {
      const batch = this.takeWaiting();
      void this.withoutContext(() => this.count(() => this.runBatch(batch)));
    }
  }

  /** Removes the calls of the next statement from the waiting ones. The oldest of each tenant come first. */
  private takeWaiting(): Waiting<Given, Result>[] {
    const batch: Waiting<Given, Result>[] = [];
    const keys = new Set<string>();
    for (const waiting of inTurns(this.waiting.values())) {
      const key = this.statements.keyOf?.(waiting.given);
      if (key !== undefined && keys.has(key)) continue;
      if (key !== undefined) keys.add(key);
      if (batch.push(waiting) === MAX_SIZE) break;
    }
    for (const waiting of batch) {
      this.remove(waiting);
      waiting.taken();
    }
    // The next statement begins with the tenants that found no space in this one.
    for (const tenant of new Set(batch.map((waiting) => waiting.tenant))) {
      const calls = this.waiting.get(tenant);
      if (calls) keepRecent(this.waiting, tenant, calls, Infinity);
    }
    return batch;
  }

  /** Counts a statement as in flight. When it ends, the calls that wait for it are sent. */
  private async count<T>(work: () => Promise<T>): Promise<T> {
    const statement = { sentAt: performance.now() };
    this.inFlight.add(statement);
    try {
      return await work();
    } finally {
      this.inFlight.delete(statement);
      this.send();
    }
  }

  /**
   * Runs the calls of a batch. If the database rejects the statement, each half of the batch is run again, until the
   * call that causes the error fails alone.
   */
  private async runBatch(batch: readonly Waiting<Given, Result>[]): Promise<void> {
    const [first, ...others] = batch as [Waiting<Given, Result>];
    if (others.length === 0) return this.statements.runOne(first.given).then(first.resolve, first.reject);
    try {
      const results = await this.statements.runMany(batch.map(({ given }) => given));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      const mayRepeat =
        !(error instanceof TemporarilyUnavailableError) && (this.statements.hadNoEffect?.(error) ?? true);
      if (!mayRepeat) return batch.forEach(({ reject }) => reject(error));
      const middle = batch.length >> 1;
      await this.runBatch(batch.slice(0, middle));
      await this.runBatch(batch.slice(middle));
    }
  }
}

/** Returns the first item of each set, then the second item of each set, and so on. */
function* inTurns<T>(sets: Iterable<ReadonlySet<T>>): Generator<T> {
  const iterators = new Set(Array.from(sets, (items) => items.values()));
  while (iterators.size > 0) {
    for (const iterator of iterators) {
      const next = iterator.next();
      if (next.done) iterators.delete(iterator);
      else yield next.value;
    }
  }
}
