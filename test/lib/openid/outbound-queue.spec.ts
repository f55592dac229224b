import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { LIMITS } from '../../../lib/openid/notifications/client-group.js';
import { OutboundQueue } from '../../../lib/openid/notifications/outbound-queue.js';
import { FetchError } from '../../../lib/http/safe-fetch/index.js';
import * as fc from '../../support/environment/fast-check.js';

/** A message, in the order in which the queue starts to send messages. */
interface Attempt {
  host: string;
  clientId: string;
  end: (failure?: Error) => void;
}

/** Creates a queue whose messages are sent only when the test ends their attempts. */
function newQueue() {
  const queue = new OutboundQueue(LIMITS.operator);
  const attempts: Attempt[] = [];
  const refused: string[] = [];
  const add = (clientId: string, host = 'client.example', isStored = false) =>
    queue.add({
      host,
      clientId,
      isStored,
      send: () =>
        new Promise<void>((resolve, reject) => {
          const end = (failure?: Error) => (failure ? reject(failure) : resolve());
          attempts.push({ host, clientId, end });
        }),
      done: (failure) => failure !== undefined && refused.push(clientId),
    });
  /** Ends an attempt, and lets the queue start the next one. */
  const end = async (attempt: Attempt, failure?: Error) => {
    attempt.end(failure);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  /** Ends the attempts one by one until none is left. */
  const drain = async () => {
    for (let at = 0; at < attempts.length; at += 1) await end(attempts[at]!);
  };
  return { add, attempts, refused, end, drain };
}

const countOf = (list: readonly { clientId: string }[], clientId: string) =>
  list.filter((one) => one.clientId === clientId).length;
afterEach(() => void jest.useRealTimers());

const unreachable = () => new FetchError('network', 'the client does not respond');

describe('the queue of outbound notifications', () => {
  it('lets the clients of one host take turns, however many messages each has', async () => {
    const counts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(counts, async (messages) => {
        const { add, attempts, drain } = newQueue();
        for (const [client, count] of messages.entries()) for (let at = 0; at < count; at += 1) add(`${client}`);
        await drain();
        expect(attempts).toHaveLength(messages.reduce((sum, one) => sum + one, 0));
        // The first messages start before the other clients have any.
        const later = attempts.slice(LIMITS.operator.concurrencyPerHost).map(({ clientId }) => clientId);
        const isFair = later.every((_, at) => {
          const [served, waiting] = [later.slice(0, at), new Set(later.slice(at))];
          const turns = [...waiting].map((id) => served.filter((one) => one === id).length);
          return Math.max(...turns) - Math.min(...turns) <= 1;
        });
        expect(isFair).toBe(true);
      }),
    );
  });

  it('lets hosts take turns, however many clients name one of them', async () => {
    const { add, attempts, end } = newQueue();
    for (let client = 0; client < 40; client += 1) add(`stranger ${client}`, 'busy.example');
    for (let host = 0; host < 40; host += 1) add('web', `${host}.example`);
    const { concurrency, concurrencyPerHost } = LIMITS.operator;
    expect(attempts).toHaveLength(concurrency);
    for (let at = 0; countOf(attempts, 'web') < 40; at += 1) await end(attempts[at]!);
    expect(attempts.filter(({ host }) => host === 'busy.example')).toHaveLength(concurrencyPerHost + 1);
  });

  it('accepts messages of other clients while the messages of one client fill the limit of their host', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 100, max: 300 }), (others, flood) => {
        const { add, refused } = newQueue();
        for (let at = 0; at < flood; at += 1) add('stranger');
        for (let client = 0; client < others; client += 1) add(`${client}`);
        expect(refused.filter((one) => one !== 'stranger')).toEqual([]);
        expect(refused).toHaveLength(flood + others - LIMITS.operator.queuedPerHost);
      }),
    );
  });

  it('accepts messages to another host while the messages to some hosts fill the total limit', () => {
    const { add, refused } = newQueue();
    const { queued, queuedPerHost } = LIMITS.operator;
    for (let host = 0; host < queued / queuedPerHost + 1; host += 1)
      for (let at = 0; at < queuedPerHost; at += 1) add(`stranger ${at}`, `${host}.example`);
    const before = refused.length;
    add('web', 'app.example');
    expect(refused).not.toContain('web');
    expect(refused).toHaveLength(before + 1);
  });

  it('keeps the stored messages of a client while another client at the same host does not respond', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const { add, attempts, refused, end, drain } = newQueue();
    for (let at = 0; at < 3; at += 1) add('stranger', 'client.example', true);
    for (let at = 0; at < 50; at += 1) add('web', 'client.example', true);
    const ended = new Set<Attempt>();
    while (refused.length === 0 && ended.size < 100) {
      const pending = attempts.filter((one) => !ended.has(one));
      const attempt = pending.find(({ clientId }) => clientId === 'stranger') ?? pending[0];
      if (attempt) await end(attempt, attempt.clientId === 'stranger' ? unreachable() : undefined);
      if (attempt) ended.add(attempt);
      jest.advanceTimersByTime(3000);
    }
    expect(refused).toContain('stranger');
    expect(countOf(attempts, 'web')).toBeLessThan(50);
    await drain();
    expect([countOf(attempts, 'web'), refused.includes('web')]).toEqual([50, false]);
  });

  it('uses one of the slots of a host for all clients that do not respond', async () => {
    const { add, attempts, end } = newQueue();
    for (let client = 0; client < 8; client += 1) for (let at = 0; at < 6; at += 1) add(`stranger ${client}`);
    let ended = 0;
    for (; attempts.length - ended > 1; ended += 1) await end(attempts[ended]!, unreachable());
    expect(ended).toBeLessThan(8 * 6 - 1);
    for (let at = 0; at < 4; at += 1) add('web');
    expect(countOf(attempts, 'web')).toBe(3);
  });
});
