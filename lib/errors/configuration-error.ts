import { InvalidArgumentError } from './index.js';

/** Stops what cannot work, with a sentence. @throws InvalidArgumentError */
export function fail(fault: string): never {
  throw new InvalidArgumentError(`Invalid argument: ${fault}`);
}

/** The same for a fault that was looked for, and may not have been found. */
export function refuse(fault: string | undefined): void {
  if (fault !== undefined) fail(fault);
}
