import { unavailable } from '../../remote/unavailable.js';

/** For each that is at work so many may wait. */
const WAITING = 8;

/** Lets so much work be under way at once and no more, and so much wait: what comes beyond that is sent away. */
export class Line {
  private atWork = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly places: number) {}

  /** Does it when there is a place; one who has given up meanwhile leaves the line. */
  async within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.atWork < this.places) this.atWork++;
    else await this.place(signal);
    try {
      return await work();
    } finally {
      const [next] = this.waiting;
      if (next) next();
      else this.atWork--;
    }
  }

  private place(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= this.places * WAITING) {
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
