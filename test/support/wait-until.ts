import { setTimeout as rest } from 'node:timers/promises';

/** Looks until it sees something, with a rest after each look, and resolves to that; gives up after so many seconds. */
export async function waitUntil<T>(look: () => T | Promise<T>, seconds = 12): Promise<NonNullable<T>> {
  // By no clock: a test may have set it.
  for (let left = seconds * 100; left > 0; left -= 1) {
    const seen = await look();
    if (seen) return seen;
    await rest(10);
  }
  throw new Error(`Not so within ${seconds} s: ${look.toString()}`);
}
