import { inspect } from 'node:util';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IntrospectedTokens, type IntrospectedTokensOptions } from 'nest-oauth2/features';
import { OAuth2Server } from 'nest-oauth2/server';

import { IntrospectionServer, json, type ReceivedRequest } from '../../../support/servers/introspection-server.js';
import { runOperation, resourceRequest } from '../../../support/clients/requests.js';

const remote = new IntrospectionServer();

function modelOf(options: Partial<IntrospectedTokensOptions> = {}): IntrospectedTokens {
  const introspectionEndpoint = `${remote.url}/introspect`;
  return new IntrospectedTokens({
    introspectionEndpoint,
    credentials: { id: 'api', secret: 's' },
    audience: null,
    ...options,
  });
}

const call = async (model: IntrospectedTokens, token = 'token') =>
  (await runOperation(new OAuth2Server({ model }), 'authenticate', resourceRequest(`Bearer ${token}`))).status;

const requested = () => remote.received.map(({ form }) => form['token']);

/** Sets the clock to a time. Timers keep using the real clock. */
function setClock(milliseconds: number): void {
  const timers = [
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'clearImmediate',
  ] as const;
  const doNotFake = [...timers, 'nextTick', 'queueMicrotask', 'performance', 'hrtime'] as const;
  jest.useFakeTimers({ now: milliseconds, doNotFake: [...doNotFake] });
}
const NOON = Date.UTC(2030, 0, 1, 12);
const at = (seconds: number) => setClock(NOON + seconds * 1000);

const good = (members: object = {}) => ({
  active: true,
  client_id: 'web',
  sub: 'alice',
  exp: NOON / 1000 + 3600,
  ...members,
});

beforeAll(() => remote.start());
afterAll(() => remote.stop());
beforeEach(() => {
  at(0);
  remote.reset(good());
});
afterEach(() => void jest.useRealTimers());

describe('the cache of IntrospectedTokens', () => {
  const cases: [string, object, Partial<IntrospectedTokensOptions>, number, number][] = [
    ['an active token for thirty seconds', good(), {}, 29.9, 30],
    ['an active token for the configured lifetime', good(), { cache: { lifetime: 300 } }, 299.9, 300],
    ['an active token until its expiry at most', good({ exp: NOON / 1000 + 7 }), {}, 6.9, 7],
    ['a token without expiry for a minute', good({ exp: undefined }), { cache: { lifetime: 900 } }, 59.9, 60],
    ['an inactive token for five seconds', { active: false }, {}, 4.9, 5],
    ['an inactive token for the configured lifetime', { active: false }, { cache: { negativeLifetime: 1 } }, 0.9, 1],
    ['a rejected token for five seconds', good({ token_type: 'DPoP' }), {}, 4.9, 5],
    ['an expired token for five seconds', good({ exp: 1 }), {}, 4.9, 5],
  ];
  it('is discarded when the clock is set back, so that a revocation is noticed in time', async () => {
    const model = modelOf();
    await call(model);
    remote.reset({ active: false });
    at(-3600);
    expect(await call(model)).toBe(401);
    remote.reset(good());
    at(-7200);
    expect(await call(model)).toBe(200);
  });

  it('is not affected by changes of a route to its token', async () => {
    remote.reset(good({ scope: ['read'], aud: ['https://a.example'], act: { sub: 'agent' } }));
    const model = modelOf();
    const first = (await model.getAccessToken('token'))!;
    (first.scope as string[]).push('admin');
    (first['resource'] as string[]).push('https://b.example');
    (first['act'] as { sub: string }).sub = 'root';
    expect(await model.getAccessToken('token')).toMatchObject({
      scope: ['read'],
      resource: ['https://a.example'],
      act: { sub: 'agent' },
    });
    expect(requested()).toEqual(['token']);
  });

  it.each(cases)(
    'introspects a token again only after its lifetime in the cache: %s',
    async (_, said, options, last, over) => {
      remote.reset(said);
      const model = modelOf(options);
      const status = await call(model);
      at(last);
      expect(await call(model)).toBe(status);
      expect(requested()).toHaveLength(1);
      at(over);
      await call(model);
      expect(requested()).toHaveLength(2);
    },
  );

  it.each([
    ['active', good(), { lifetime: 0 }],
    ['inactive', { active: false }, { negativeLifetime: 0 }],
  ])('keeps no %s token if its lifetime is 0', async (_, said, cache) => {
    remote.reset(said);
    const model = modelOf({ cache });
    await call(model);
    await call(model);
    expect(requested()).toHaveLength(2);
  });

  it('expires after its lifetime, for active and for inactive tokens', async () => {
    const model = modelOf();
    expect(await call(model)).toBe(200);
    remote.reset({ active: false });
    at(29);
    expect(await call(model)).toBe(200);
    at(30);
    expect(await call(model)).toBe(401);
    remote.reset(good());
    at(34);
    expect(await call(model)).toBe(401);
    at(35);
    expect(await call(model)).toBe(200);
  });

  it('does not keep failed introspections', async () => {
    const model = modelOf();
    remote.replies['/introspect'] = json({}, 500);
    expect(await call(model)).toBe(503);
    remote.reset(good());
    expect(await call(model)).toBe(200);
  });

  it('is used while the authorization server is down', async () => {
    const model = modelOf();
    expect(await call(model)).toBe(200);
    remote.replies['/introspect'] = json({}, 500);
    expect(await call(model)).toBe(200);
    expect(await call(model, 'other')).toBe(503);
  });

  it('drops the least recently used token first if it is full', async () => {
    const model = modelOf({ cache: { size: 2 } });
    for (const token of ['a', 'b', 'a', 'c', 'a', 'c', 'b']) await call(model, token);
    expect(requested()).toEqual(['a', 'b', 'c', 'b']);
  });

  it('keeps active tokens despite a flood of made-up tokens', async () => {
    remote.replies['/introspect'] = (response, { form }: ReceivedRequest) =>
      json(form['token'] === 'good' ? good() : { active: false })(response, undefined as never);
    const model = modelOf({ cache: { size: 20 } });
    expect(await call(model, 'good')).toBe(200);
    for (let index = 0; index < 100; index++) expect(await call(model, `made-up-${index}`)).toBe(401);
    expect(await call(model, 'good')).toBe(200);
    expect(requested().filter((token) => token === 'good')).toHaveLength(1);
    // The latest twenty tokens are cached, and earlier ones are not.
    await call(model, 'made-up-80');
    expect(requested()).toHaveLength(101);
    await call(model, 'made-up-79');
    expect(requested()).toHaveLength(102);
  });

  it('does not contain the tokens themselves', async () => {
    const model = modelOf();
    expect(await call(model, 'top-secret-token')).toBe(200);
    remote.reset({ active: false });
    expect(await call(model, 'top-secret-too')).toBe(401);
    expect(inspect(model, { depth: Infinity, showHidden: true })).toContain('alice');
    expect(inspect(model, { depth: Infinity, showHidden: true })).not.toContain('top-secret');
  });
});

/** Holds introspection requests until they are released. */
function held() {
  const waiting: (() => void)[] = [];
  let arrived = () => {};
  remote.replies['/introspect'] = (response) => {
    waiting.push(() => json(good())(response, undefined as never));
    arrived();
  };
  const until = async (count: number) => {
    while (waiting.length < count) await new Promise<void>((resolve) => (arrived = resolve));
  };
  return { until, release: () => waiting.splice(0).forEach((reply) => reply()) };
}

describe('concurrent requests with IntrospectedTokens', () => {
  it('cause one introspection request for the same token', async () => {
    const { until, release } = held();
    const model = modelOf();
    const calls = Array.from({ length: 50 }, () => call(model));
    await until(1);
    release();
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
    expect(requested()).toHaveLength(1);
  });

  it('fail together for the same token, and the next request introspects it again', async () => {
    remote.replies['/introspect'] = json({}, 500);
    const model = modelOf();
    expect(await Promise.all([call(model), call(model), call(model)])).toEqual([503, 503, 503]);
    expect(requested()).toHaveLength(1);
    remote.reset(good());
    expect(await call(model)).toBe(200);
  });

  it('are limited: further ones wait, and too many are rejected with 503', async () => {
    const { until, release } = held();
    const model = modelOf({ concurrency: 2, timeout: 60 });
    const calls = Array.from({ length: 25 }, (_, index) => call(model, `token-${index}`));
    await until(2);
    // Two requests are in progress, sixteen wait, and the others are rejected immediately.
    expect(await Promise.all(calls.slice(18))).toEqual(Array.from({ length: 7 }, () => 503));
    for (let done = 0; done < 18; done += 2) {
      await until(2);
      release();
    }
    expect(await Promise.all(calls.slice(0, 18))).toEqual(Array.from({ length: 18 }, () => 200));
    expect(requested()).toHaveLength(18);
    expect(remote.maxConcurrent).toBe(2);
    // All slots are free again.
    const more = call(model, 'one-more');
    await until(1);
    release();
    expect(await more).toBe(200);
  });

  it('wait no longer than the timeout', async () => {
    const { until } = held();
    const model = modelOf({ concurrency: 1, timeout: 2 });
    const calls = ['first', 'second', 'third'].map((token) => call(model, token));
    await until(1);
    expect(await Promise.all(calls)).toEqual([503, 503, 503]);
    remote.reset(good());
    expect(await call(model, 'fourth')).toBe(200);
  });

  it('do not introspect a token whose request timed out while it waited', async () => {
    const ends: (() => void)[] = [];
    const start = setTimeout;
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(((end: () => void, time: number) => {
      if (time === 60_000) ends.push(end);
      return start(end, time);
    }) as never);
    const { until, release } = held();
    const model = modelOf({ concurrency: 1, timeout: 60 });
    const [first, second, third] = ['first', 'second', 'third'].map((token) => call(model, token));
    await until(1);
    ends[1]!();
    expect(await second).toBe(503);
    release();
    await until(1);
    release();
    expect([await first, await third]).toEqual([200, 200]);
    expect(requested()).toEqual(['first', 'third']);
    timers.mockRestore();
  });
});
