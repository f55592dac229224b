import { setTimeout as wait } from 'node:timers/promises';

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { OAuth2Maintenance, OAuth2Server } from 'nest-oauth2';

import { demoModule, demoStore } from '../support/servers/demo.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';

function resolvable() {
  let resolve!: () => void;
  const promise = new Promise<void>((resolved) => (resolve = resolved));
  return { promise, resolve };
}

/** Returns a server object of which only the model is used. */
const serverWith = (model: object) => ({ options: { model } }) as unknown as OAuth2Server;

describe('OAuth2Maintenance', () => {
  const error = jest.fn<LoggerService['error']>();
  const logger: LoggerService = { error, log() {}, warn() {} };
  afterEach(stopApplications);
  afterEach(() => void error.mockReset());

  async function start(prune: (options: { signal: AbortSignal }) => Promise<number>, interval = 1) {
    const model = Object.assign(demoStore(), { prune });
    // The first run is after a random part of the interval.
    jest.spyOn(Math, 'random').mockReturnValueOnce(0);
    const useFactory = (server: OAuth2Server) => new OAuth2Maintenance(server, { interval });
    const provider = { provide: OAuth2Maintenance, inject: [OAuth2Server], useFactory };
    return startApplication('express', { imports: demoModule({ model }).imports!, providers: [provider] }, { logger });
  }

  it('deletes expired records at each interval', async () => {
    let calls = 0;
    const calledTwice = resolvable();
    await start(async () => {
      if ((calls += 1) === 2) calledTwice.resolve();
      return 0;
    });
    await calledTwice.promise;
    expect(calls).toBe(2);
  });

  it('writes an error of the model to the log, and tries again after the interval', async () => {
    let calls = 0;
    const calledTwice = resolvable();
    await start(async () => {
      if ((calls += 1) === 2) calledTwice.resolve();
      throw new Error('connect ECONNREFUSED 10.0.0.1:5432');
    });
    await calledTwice.promise;
    expect(error.mock.calls[0]).toEqual(['connect ECONNREFUSED 10.0.0.1:5432', expect.any(String), 'OAuth2']);
  });

  it('ends a run when the application stops, after the statement that is running', async () => {
    let hasEnded = false;
    const started = resolvable();
    // The interval is so long that only the end of the application can abort the signal.
    await start(async ({ signal }) => {
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      started.resolve();
      await aborted;
      await wait(50);
      hasEnded = true;
      return 0;
    }, 86_400);
    await started.promise;
    await stopApplications();
    expect(hasEnded).toBe(true);
  });

  it('stops a run before its lease ends', async () => {
    let isAborted = false;
    const prune = async ({ signal }: { signal: AbortSignal }) => {
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
      isAborted = signal.aborted;
      return 3;
    };
    expect(await new OAuth2Maintenance(serverWith({ prune }), { interval: 1 }).run()).toBe(3);
    expect(isAborted).toBe(true);
  });

  it('rejects a model without prune() and an invalid interval at start-up', () => {
    expect(() => new OAuth2Maintenance(serverWith({}))).toThrow('requires the model method `prune()`');
    for (const interval of [0, 0.5, 86_401, Number.NaN, '60' as unknown as number])
      expect(() => new OAuth2Maintenance(serverWith(demoStore()), { interval })).toThrow(
        '`interval` of OAuth2Maintenance must be a number of seconds from 1 to 86400',
      );
  });
});
