import { afterEach, beforeEach, jest } from '@jest/globals';

/** Suppresses process warnings in tests whose models and listeners fail on purpose. */
export function withoutWarnings(): void {
  let warn: { mockRestore(): void };
  beforeEach(() => {
    warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  });
  afterEach(() => warn.mockRestore());
}
