import { afterEach } from '@jest/globals';

const now = Date.now;

/** Moves the clock of this process forward until the end of the test, so that the test does not wait for an expiry. */
export function advanceClock(milliseconds: number): void {
  const previous = Date.now;
  Date.now = () => previous() + milliseconds;
}

afterEach(() => {
  Date.now = now;
});
