import { unavailable } from '../../remote/unavailable.js';

/** For each that is at work so many may wait. */
const MAX_WAITING_PER_SLOT = 8;

/** Lets so much work be under way at once and no more, and so much wait: what comes beyond that is sent away. */
export class ConcurrencyLimiter {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly maxRunning: number) {}

  /** Does it when there is a place; one who has given up meanwhile leaves the line. */
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
      throw unavailable('Too many tokens wait to be introspected: give IntrospectedTokens more `concurrency`');
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
