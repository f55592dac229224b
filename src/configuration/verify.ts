import { refuse } from '../../lib/errors/configuration-error.js';

/** Stops the application with a sentence that says what is wrong and what to do about it. */
export function verify(valid: boolean, fault: string): asserts valid {
  if (!valid) refuse(fault);
}
