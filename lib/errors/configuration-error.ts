import { InvalidArgumentError } from './index.js';

/**
 * Returns the error of an invalid configuration or an invalid call of the application.
 * @param message says what is wrong and what to do
 */
export const configurationError = (message: string): InvalidArgumentError =>
  new InvalidArgumentError(`Invalid argument: ${message}`);

/**
 * Verifies a condition that a configuration must meet.
 * @param message says what is wrong and what to do
 * @throws {InvalidArgumentError} If the condition is false.
 */
export function assertConfig(condition: unknown, message: string): asserts condition {
  if (!condition) throw configurationError(message);
}
