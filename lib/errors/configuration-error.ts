import { InvalidArgumentError } from './index.js';

/**
 * Returns the error of an invalid configuration or an invalid call of the application.
 * @param message The error, and how to fix it.
 */
export const configurationError = (message: string): InvalidArgumentError =>
  new InvalidArgumentError(`Invalid argument: ${message}`);

/**
 * Verifies a condition that a configuration must meet.
 * @param message The error, and how to fix it.
 * @throws {InvalidArgumentError} If the condition is false.
 */
export function assertConfig(condition: unknown, message: string): asserts condition {
  if (!condition) throw configurationError(message);
}
