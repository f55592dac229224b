import { AsyncLocalStorage } from 'node:async_hooks';

const now = Date.now;
const offsets = new AsyncLocalStorage<() => number>();

/**
 * Replaces `Date.now()` so that work within `Clock.at()` sees that clock. Other code in the test file sees the real
 * time.
 */
export function skewClocks(): void {
  Date.now = () => now() + (offsets.getStore()?.() ?? 0);
}

export function restoreClocks(): void {
  Date.now = now;
}

/**
 * The clock of one process. `offset` is the time by which it is fast, in milliseconds, and may change during a request.
 */
export class Clock {
  constructor(public offset = 0) {}

  at<T>(work: () => T): T {
    return offsets.run(() => this.offset, work);
  }
}
