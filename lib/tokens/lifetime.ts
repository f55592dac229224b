import { InvalidArgumentError } from '../errors/index.js';

/** The last moment there is, in milliseconds since the epoch: what never expires expires then. */
export const FOREVER = 8.64e15;

/** The seconds of a lifetime option as a number; a host may have read them from its environment as text. */
export function lifetime(given: unknown, name: string): number {
  if (!given) throw new InvalidArgumentError(`Missing parameter: \`${name}\``);
  const seconds = Number(given);
  if (!(seconds > 0 && Number.isFinite(seconds))) throw new InvalidArgumentError(`Invalid parameter: \`${name}\``);
  return seconds;
}

/** The moment that is a lifetime option away from now. Counted in milliseconds: calendar fields jump with the clock. */
export function expiry(seconds: unknown, name: string): Date {
  const expiresAt = new Date(Date.now() + lifetime(seconds, name) * 1000);
  if (Number.isNaN(expiresAt.getTime())) throw new InvalidArgumentError(`Invalid parameter: \`${name}\``);
  return expiresAt;
}

/** Is this moment over? A date that is none counts as over. */
export function isExpired(date: Date): boolean {
  return !(date.getTime() >= Date.now());
}
