import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `condition` every 10 ms until it returns a truthy value, and returns this value. Fails after about `seconds`
 * seconds, which only ends a hang.
 */
export async function waitUntil<T>(condition: () => T | Promise<T>, seconds = 50): Promise<NonNullable<T>> {
  // Attempts are counted, because the test may have changed the clock.
  for (let attempts = seconds * 100; attempts > 0; attempts -= 1) {
    const value = await condition();
    if (value) return value;
    await delay(10);
  }
  throw new Error(`The condition was not met within ${seconds} s: ${condition.toString()}`);
}
