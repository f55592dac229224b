import { afterEach, beforeEach, jest } from '@jest/globals';

/** For tests whose models and listeners are broken on purpose: what the process warns of is not printed by the dozen. */
export function withoutWarnings(): void {
  let warn: { mockRestore(): void };
  beforeEach(() => {
    warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  });
  afterEach(() => warn.mockRestore());
}
