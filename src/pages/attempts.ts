import { keepRecent } from '../../lib/keep-recent.js';

/** An attempt to sign in. */
export interface Attempt {
  username: string;
  /** From where, as Express or Fastify say; behind a proxy they have to be told to trust it. */
  address?: string | undefined;
  /** The native request. */
  request: unknown;
}

/** How often somebody may try to sign in. */
export interface Throttle {
  /** Counts an attempt. @returns seconds to wait before the next one may be made; 0: this one may be made */
  count(attempt: Attempt): number | Promise<number>;
  /** It succeeded: what was counted against them is forgotten. */
  forgive?(attempt: Attempt): unknown;
}

const MOST = 10;
const SECONDS = 300;
const REMEMBERED = 10_000;

/** Ten attempts in five minutes for one name from one address, counted in this process. */
export class AttemptCounter implements Throttle {
  private readonly counts = new Map<string, { count: number; until: number }>();

  count(attempt: Attempt): number {
    const key = keyOf(attempt);
    const now = Date.now();
    let known = this.counts.get(key);
    if (!known || known.until <= now) {
      known = { count: 0, until: now + SECONDS * 1000 };
      keepRecent(this.counts, key, known, REMEMBERED);
    }
    known.count += 1;
    return known.count > MOST ? Math.ceil((known.until - now) / 1000) : 0;
  }

  forgive(attempt: Attempt): void {
    this.counts.delete(keyOf(attempt));
  }
}

const keyOf = ({ username, address = '' }: Attempt) => JSON.stringify([username.toLowerCase(), address]);
