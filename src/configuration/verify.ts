import { InvalidArgumentError } from '../../lib/index.js';

/** Stops the application with a sentence that says what is wrong and what to do about it. */
export function verify(valid: boolean, fault: string): asserts valid {
  refuse(valid ? undefined : fault);
}

/** The same for a fault that was looked for, and may not have been found. */
export function refuse(fault: string | undefined): void {
  if (fault !== undefined) throw new InvalidArgumentError(`Invalid argument: ${fault}`);
}
