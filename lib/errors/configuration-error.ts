import { InvalidArgumentError } from './index.js';

/**
 * Returns the error for an invalid configuration or an invalid call by the application.
 * @param message The problem and how to fix it.
 */
export const configurationError = (message: string): InvalidArgumentError =>
  new InvalidArgumentError(`Invalid argument: ${message}`);

/**
 * Verifies a condition on the configuration.
 * @param message The problem and how to fix it.
 * @throws {InvalidArgumentError} If the condition is false.
 */
export function assertConfig(condition: unknown, message: string): asserts condition {
  if (!condition) throw configurationError(message);
}
