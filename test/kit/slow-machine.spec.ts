import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type AuthorizationCode,
  type Client,
  type Session,
  TemporarilyUnavailableError,
  type Unsaved,
  type User,
} from 'nest-oauth2/server';
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
  let ticking: NodeJS.Timeout;
  beforeEach(() => {
    // The waits of the checks pass too, ten times faster than in real time.
    ticking = setInterval(() => jest.advanceTimersByTime(50), 5);
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'clearInterval'] });
  });
  afterEach(() => {
    clearInterval(ticking);
    jest.useRealTimers();
  });

  it('passes a correct storage, whose records expire between the checks', async () => {
    const honest = new MapStorage();
    const storage = slowed(honest, seconds);
    const { outcomes } = await checkStorage(() => ({ storage }));
    expect(outcomes.filter(({ result }) => result === 'failed').map(({ error }) => error)).toEqual([]);
  });

  it('passes a correct model whose database adds lifetimes to its own clock', async () => {
    const honest = new CorrectModel();
    /** Passes a time as the milliseconds until then, which arrive seconds later. */
    const later = (time: Date) => {
      const lifetime = time.getTime() - Date.now();
      jest.advanceTimersByTime(seconds * 1000);
      return new Date(Date.now() + lifetime);
    };
    const model: CorrectModel = Object.assign(new CorrectModel(), honest, {
      saveAuthorizationCode: (code: Unsaved<AuthorizationCode>, ...rest: [Client, User]) =>
        honest.saveAuthorizationCode({ ...code, expiresAt: later(code.expiresAt) }, ...rest),
      saveSession: (session: Session) => honest.saveSession({ ...session, expiresAt: later(session.expiresAt) }),
    });
    const { outcomes } = await checkModel(() => subject(model));
    expect(outcomes.filter(({ result }) => result === 'failed').map(({ error }) => error)).toEqual([]);
  });

  it('passes a correct model', async () => {
    const model = slowed(new CorrectModel(), seconds);
    const { outcomes } = await checkModel(() => subject(model));
    expect(outcomes.filter(({ result }) => result === 'failed').map(({ error }) => error)).toEqual([]);
  });
});

describe('on a machine on which a database does not always respond in time', () => {
  it('runs a check again, and reports a database that never responds', async () => {
    const honest = new MapStorage();
    let calls = 0;
    const storage = new Proxy(honest, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (name === 'readText' || (name === 'consume' && calls++ === 0))
            throw new TemporarilyUnavailableError('busy');
          return value.apply(target, args) as unknown;
        };
      },
    });
    const { outcomes } = await checkStorage(() => ({ storage }), { parallel: 5 });
    const failed = new Set(outcomes.filter(({ result }) => result === 'failed').map(({ feature }) => feature));
    expect(calls).toBeGreaterThan(1);
    expect(failed.has('readText')).toBe(true);
    expect(failed.has('consume')).toBe(false);
  });
});
