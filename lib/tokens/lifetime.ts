import { InvalidArgumentError } from '../errors/index.js';

/** The maximum time of a `Date` in milliseconds. It is used as the expiry of tokens that do not expire. */
export const FOREVER = 8.64e15;

/**
 * Returns a lifetime option as a number of seconds. A text is accepted, because it may come from an environment
 * variable.
 * @throws {InvalidArgumentError} If the lifetime is missing or invalid.
 */
export function lifetime(given: unknown, name: string): number {
  if (!given) throw new InvalidArgumentError(`Missing parameter: \`${name}\``);
  const seconds = Number(given);
  if (!(seconds > 0 && Number.isFinite(seconds))) throw new InvalidArgumentError(`Invalid parameter: \`${name}\``);
  return seconds;
}

/**
 * Returns the expiry that is `seconds` from now. It is computed in milliseconds, because daylight saving time would
 * distort calendar fields.
 * @throws {InvalidArgumentError} If the lifetime is missing or invalid.
 */
export function expiry(seconds: unknown, name: string): Date {
  const expiresAt = new Date(Date.now() + lifetime(seconds, name) * 1000);
  if (Number.isNaN(expiresAt.getTime())) throw new InvalidArgumentError(`Invalid parameter: \`${name}\``);
  return expiresAt;
}

/** Whether a date is in the past. An invalid date counts as expired. */
export function isExpired(date: Date): boolean {
  return !(date.getTime() >= Date.now());
}
