import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { assertConfig, hasOnce, toOAuthError } from '../../lib/internal.js';
import { OAuth2Server, type OnceModel, type PruneModel } from '../../lib/index.js';
import { logServerError } from './error-log.js';

/** Options of `OAuth2Maintenance`. */
export interface OAuth2MaintenanceOptions {
  /**
   * Seconds between two runs, from 1 to 86,400. All processes that use the same database share them. Default: `600`.
   */
  interval?: number;
}

/** The single-use value that a process consumes to become the only one that deletes records for a while. */
const LEASE = 'nest-oauth2 maintenance';
/** How long a lease lasts, as a fraction of the interval. It ends before the next timer of the same process. */
const LEASE_SHARE = 0.9;
/** When a run stops, as a fraction of the interval: before its lease ends, so that two runs never overlap. */
const RUN_SHARE = 0.8;
const MAX_INTERVAL = 86_400;

const logger = new Logger('OAuth2');

/**
 * Deletes expired records at an interval. Several processes with the same database take turns: one of them deletes
 * records, and the others skip this interval. Add it to the providers of a module that can inject `OAuth2Server`. The
 * model requires a method `prune()`, which the ready-made stores have. A model without `once()` deletes records in every
 * process.
 */
@Injectable()
export class OAuth2Maintenance implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly model: PruneModel & Partial<OnceModel>;
  private readonly interval: number;
  private readonly shutdown = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<unknown> | undefined;

  /**
   * @param options Pass them with `useFactory: (server) => new OAuth2Maintenance(server, { interval: 60 })`.
   * @throws {InvalidArgumentError} If the model has no method `prune()`, or the interval is invalid.
   */
  constructor(@Inject(OAuth2Server) server: OAuth2Server, { interval = 600 }: OAuth2MaintenanceOptions = {}) {
    this.model = server.options.model as unknown as PruneModel;
    assertConfig(typeof this.model.prune === 'function', NO_PRUNE);
    assertConfig(typeof interval === 'number' && interval >= 1 && interval <= MAX_INTERVAL, INVALID_INTERVAL);
    this.interval = interval;
  }

  /** Starts the timer. The first run is after one interval at most, at a random time that differs between processes. */
  onApplicationBootstrap(): void {
    this.schedule(Math.random());
  }

  /** Stops the timer and waits until the statement that is running has ended. */
  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.timer);
    this.shutdown.abort();
    await this.current;
  }

  /**
   * Deletes expired records now, unless another process does so or has done so within the interval. Never rejects:
   * errors are written to the log.
   * @returns the number of deleted records, or `undefined` if nothing was done or an error occurred
   */
  async run(): Promise<number | undefined> {
    const { model, interval } = this;
    // The time limit begins before the lease, so that no clock of another machine matters.
    const signal = AbortSignal.any([
      this.shutdown.signal,
      AbortSignal.timeout(Math.floor(interval * RUN_SHARE * 1000)),
    ]);
    try {
      if (hasOnce(model) && !(await model.once(LEASE, interval * LEASE_SHARE))) return undefined;
      const count = await model.prune({ signal });
      if (count > 0) logger.debug(`deleted ${count} expired records`);
      return count;
    } catch (thrown) {
      logServerError(toOAuthError(thrown));
      return undefined;
    }
  }

  private schedule(share: number): void {
    const runAndSchedule = async () => {
      await (this.current = this.run());
      if (!this.shutdown.signal.aborted) this.schedule(1);
    };
    this.timer = setTimeout(() => void runAndSchedule(), this.interval * share * 1000).unref();
  }
}

const NO_PRUNE =
  'OAuth2Maintenance requires the model method `prune()`: implement it so that it deletes expired records, or remove OAuth2Maintenance if your database deletes them itself';
const INVALID_INTERVAL = `\`interval\` of OAuth2Maintenance must be a number of seconds from 1 to ${MAX_INTERVAL}`;
