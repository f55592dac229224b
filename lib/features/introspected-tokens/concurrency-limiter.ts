import { unavailable } from '../../remote/unavailable.js';

/** Maximum number of waiting calls for each running one. */
const MAX_WAITING_PER_SLOT = 8;

/** Limits how many calls run at once. Eight times as many calls can wait, and all further calls fail. */
export class ConcurrencyLimiter {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly maxRunning: number) {}

  /**
   * Runs `work` as soon as a slot is free. A call whose signal is aborted stops waiting and rejects.
   * @throws {TemporarilyUnavailableError} If too many calls are waiting.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.running < this.maxRunning) this.running++;
    else await this.waitForSlot(signal);
    try {
      return await work();
    } finally {
      const [next] = this.waiting;
      if (next) next();
      else this.running--;
    }
  }

  private waitForSlot(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= this.maxRunning * MAX_WAITING_PER_SLOT) {
      throw unavailable(
        'Too many tokens are waiting for introspection: increase `concurrency` of `IntrospectedTokens`',
      );
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        leave();
        resolve();
      };
      const giveUp = () => {
        leave();
        reject(signal.reason as Error);
      };
      const leave = () => {
        this.waiting.delete(begin);
        signal.removeEventListener('abort', giveUp);
      };
      this.waiting.add(begin);
      signal.addEventListener('abort', giveUp);
    });
  }
}
