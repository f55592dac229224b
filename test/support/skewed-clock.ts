import { AsyncLocalStorage } from 'node:async_hooks';

const now = Date.now;
const offsets = new AsyncLocalStorage<() => number>();

/** From here on, whatever is done `at` a clock is told the time by that. Tests of one file share it. */
export function skewClocks(): void {
  Date.now = () => now() + (offsets.getStore()?.() ?? 0);
}

export function restoreClocks(): void {
  Date.now = now;
}

/** The clock of one process, so many milliseconds fast. It can be set while a request is on its way, as NTP does. */
export class Clock {
  constructor(public offset = 0) {}

  at<T>(work: () => T): T {
    return offsets.run(() => this.offset, work);
  }
}
