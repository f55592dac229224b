import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { checkModel, checkStorage } from 'nest-oauth2/testing';

import { MapStorage } from '../stores/map-storage.js';
import { CorrectModel, subject } from './correct-model.js';

/**
 * Returns an object whose methods take `seconds` seconds by all clocks of the process. Concurrent calls take this time
 * together.
 */
function slowed<T extends object>(honest: T, seconds: number): T {
  let running = 0;
  const pass = () => void (running === 0 && jest.advanceTimersByTime((seconds * 1000) / 2));
  return new Proxy(honest, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        pass();
        running += 1;
        try {
          return await (value.apply(target, args) as unknown);
        } finally {
          running -= 1;
          pass();
        }
      };
    },
  });
}

describe.each([0.1, 3])('on a machine on which each call takes %d seconds', (seconds) => {
  beforeEach(() => {
    // The waits of the checks pass in real time too.
    jest.useFakeTimers({ advanceTimers: true, doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  });
  afterEach(() => void jest.useRealTimers());

  it('passes a correct storage, whose records expire between the checks', async () => {
    const honest = new MapStorage();
    const storage = slowed(honest, seconds);
    const { outcomes } = await checkStorage(() => ({ storage }));
    expect(outcomes.filter(({ result }) => result === 'failed').map(({ error }) => error)).toEqual([]);
  });

  it('passes a correct model', async () => {
    const model = slowed(new CorrectModel(), seconds);
    const { outcomes } = await checkModel(() => subject(model));
    expect(outcomes.filter(({ result }) => result === 'failed').map(({ error }) => error)).toEqual([]);
  });
});
