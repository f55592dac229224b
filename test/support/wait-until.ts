import { setTimeout as delay } from 'node:timers/promises';

/** Looks until it sees something, with a rest after each condition, and resolves to that; gives up after so many seconds. */
export async function waitUntil<T>(condition: () => T | Promise<T>, seconds = 12): Promise<NonNullable<T>> {
  // By no clock: a test may have set it.
  for (let attempts = seconds * 100; attempts > 0; attempts -= 1) {
    const value = await condition();
    if (value) return value;
    await delay(10);
  }
  throw new Error(`Not so within ${seconds} s: ${condition.toString()}`);
}
