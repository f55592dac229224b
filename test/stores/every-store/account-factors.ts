import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generate } from 'otplib';
import { Authenticator } from '../../../src/accounts/factors/authenticator.js';
import { Challenges } from '../../../src/accounts/passkeys/challenges.js';
import { Passwords } from '../../../src/accounts/passwords.js';
import { SECRET } from '../../support/servers/demo.js';
import { findStores, type OpenStore } from '../every-store.js';

const CALLERS = 200;

describe.each(await findStores())('the second factors of an account, with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  }, 60_000);
  afterAll(() => opened.close());

  /** Calls a function in two processes by turns, at the same time. Returns the truthy results. */
  async function race<T>(call: (index: 0 | 1) => Promise<T>): Promise<T[]> {
    const results = await Promise.all(Array.from({ length: CALLERS }, async (_, at) => call((at % 2) as 0 | 1)));
    return results.filter(Boolean);
  }

  /** Two processes with the authenticator apps of a realm. */
  const processes = (realm = 'realm') =>
    [opened.store, opened.another].map((store) => new Authenticator(store, [SECRET], realm)) as [
      Authenticator,
      Authenticator,
    ];

  /** Enrols an app, and returns its secret and the recovery codes. */
  async function enrol(user: { id: string }, [one] = processes()) {
    const enrolment = await one.begin(user, 'browser');
    const code = await generate({ secret: enrolment.secret });
    return { ...enrolment, code, codes: (await one.enrol(user, enrolment, code))! };
  }

  it('are enrolled by exactly one of 200 callers with the same code', async () => {
    const user = { id: randomUUID() };
    const both = processes();
    const enrolment = await both[0].begin(user, 'browser');
    const code = await generate({ secret: enrolment.secret });
    const enrolled = await race(async (at) => both[at].enrol(user, enrolment, code));
    expect(enrolled).toHaveLength(1);
    expect(await both[1].codesLeft(user)).toBe(10);
    expect(await both[1].verify(user, enrolled[0]![0]!)).toBe(true);
  });

  it('accept a code of the app once in its time step, for 200 callers and after the enrolment', async () => {
    const user = { id: randomUUID() };
    const both = processes();
    const { secret, code } = await enrol(user, both);
    expect(await race(async (at) => both[at].verify(user, code))).toEqual([]);
    // The clock of the telephone may be one step ahead.
    const next = await generate({ secret, epoch: Math.floor(Date.now() / 1000) + 30 });
    expect(await race(async (at) => both[at].verify(user, next))).toEqual([true]);
  });

  it('accept a recovery code once for 200 callers, and none of another user, realm or set', async () => {
    const [user, stranger] = [{ id: randomUUID() }, { id: randomUUID() }];
    const both = processes();
    const { codes } = await enrol(user, both);
    await enrol(stranger, both);
    const elsewhere = processes('other realm');
    await enrol(user, elsewhere);
    expect(await both[0].verify(stranger, codes[0]!)).toBe(false);
    expect(await elsewhere[1].verify(user, codes[0]!)).toBe(false);
    expect(await race(async (at) => both[at].verify(user, codes[0]!))).toEqual([true]);
    expect(await both[1].codesLeft(user)).toBe(9);
    const replaced = await race(async (at) => both[at].newCodes(user));
    expect(replaced.length).toBeGreaterThan(0);
    expect(await race(async (at) => both[at].verify(user, codes[1]!))).toEqual([]);
  });

  it('keep the recovery codes of a user while new ones are stored, until all of them are', async () => {
    const user = { id: randomUUID() };
    const [one, other] = processes();
    const { codes } = await enrol(user);
    const add = opened.store.addCredential.bind(opened.store);
    let count = 0;
    const spy = jest.spyOn(opened.store, 'addCredential').mockImplementation(async (account, credential) => {
      count += 1;
      if (count === 3) throw new Error('The process was killed');
      return add(account, credential);
    });
    await expect(one.newCodes(user)).rejects.toThrow('killed');
    spy.mockRestore();
    expect([await other.codesLeft(user), await other.verify(user, codes[0]!)]).toEqual([10, true]);
  });

  it('keep the recovery codes that a request creates while an earlier one deletes the old ones', async () => {
    const user = { id: randomUUID() };
    const [one, other] = processes();
    await enrol(user);
    let later: readonly string[] | undefined;
    const find = opened.store.findCredentials.bind(opened.store);
    const spy = jest.spyOn(opened.store, 'findCredentials').mockImplementationOnce(async (...account) => {
      later = await other.newCodes(user);
      return find(...account);
    });
    const earlier = await one.newCodes(user);
    spy.mockRestore();
    expect(await other.codesLeft(user)).toBe(10);
    expect([await other.verify(user, earlier![0]!), await other.verify(user, later![0]!)]).toEqual([false, true]);
  });

  it('are removed by one of 200 callers, also while a recovery code is used', async () => {
    const user = { id: randomUUID() };
    const both = processes();
    const { codes } = await enrol(user, both);
    const [removed, used] = await Promise.all([
      race(async (at) => both[at].remove(user.id)),
      race(async (at) => both[at].verify(user, codes[2]!)),
    ]);
    expect(removed).toEqual([true]);
    expect(used.length).toBeLessThanOrEqual(1);
    expect(await both[0].codesLeft(user)).toBeUndefined();
    expect(await race(async (at) => both[at].verify(user, codes[3]!))).toEqual([]);
  });

  it('are removed while their recovery codes are replaced', async () => {
    const user = { id: randomUUID() };
    const [one, other] = processes();
    await enrol(user);
    const remove = opened.store.removeCredential.bind(opened.store);
    const spy = jest.spyOn(opened.store, 'removeCredential').mockImplementationOnce(async (credential) => {
      expect(await other.newCodes(user)).toHaveLength(10);
      return remove(credential);
    });
    expect(await one.remove(user.id)).toBe(true);
    spy.mockRestore();
    expect(await other.isEnrolled(user)).toBe(false);
    const account = { realm: 'realm', userId: user.id };
    expect(await opened.another.findCredentials(account, ['recovery_code'])).toEqual([]);
  });

  it('leave no app whose enrolment was killed before its recovery codes were stored, and are enrolled again', async () => {
    const user = { id: randomUUID() };
    const both = processes();
    const enrolment = await both[0].begin(user, 'browser');
    const code = await generate({ secret: enrolment.secret });
    const { addCredential } = opened.store;
    let calls = 0;
    const spy = jest.spyOn(opened.store, 'addCredential').mockImplementation(async (...args) => {
      calls += 1;
      // Three recovery codes are stored when the process dies.
      if (calls > 3) throw new Error('The process has died');
      return addCredential.apply(opened.store, args);
    });
    await expect(both[0].enrol(user, enrolment, code)).rejects.toThrow('The process has died');
    spy.mockRestore();
    const next = await generate({ secret: enrolment.secret, epoch: Math.floor(Date.now() / 1000) + 30 });
    expect(await both[1].isEnrolled(user)).toBe(false);
    const codes = (await both[1].enrol(user, enrolment, next))!;
    expect(await both[0].codesLeft(user)).toBe(10);
    expect(await both[0].verify(user, codes[9]!)).toBe(true);
  });

  it('consume a challenge of a passkey once for 200 callers, and only for its browser, user and issuer', async () => {
    const servers = [opened.store, opened.another].map((model) => contextOf(model, 'https://id.example')) as [
      Context,
      Context,
    ];
    const both = servers.map((server) => new Challenges(server, 'realm')) as [Challenges, Challenges];
    const purpose = { use: 'factor', browser: 'one', userId: randomUUID() } as const;
    const { challenge, sealed } = both[0].create(purpose);
    for (const wrong of [{ browser: 'two' }, { userId: 'mallory' }, { use: 'add' } as const]) {
      expect(await both[1].consume(sealed, { ...purpose, ...wrong })).toBeUndefined();
    }
    const elsewhere = new Challenges(contextOf(opened.another, 'https://other.example'), 'realm');
    expect(await elsewhere.consume(sealed, purpose)).toBeUndefined();
    expect(await race(async (at) => both[at].consume(sealed, purpose))).toEqual([challenge]);
  });

  it('keep one of 200 new passwords, and end with it every other', async () => {
    const user = { id: randomUUID() };
    const users = { findById: () => user, findByEmail: () => undefined, create: () => undefined };
    const both = [opened.store, opened.another].map((store) => new Passwords(store, users, 'realm', 'scrypt')) as [
      Passwords,
      Passwords,
    ];
    expect(await race(async (at) => both[at].replace(user, undefined, `first ${randomUUID()}`))).toEqual([true]);
    const from = await both[1].storedOf(user);
    const before = both[0].versionOf(user, from);
    expect(await race(async (at) => both[at].replace(user, from, `second ${randomUUID()}`))).toEqual([true]);
    expect(both[0].versionOf(user, await both[0].storedOf(user))).not.toBe(before);
  });
});

type Context = ConstructorParameters<typeof Challenges>[0];

/** Returns the parts of a server that challenges read. */
const contextOf = (model: object, issuer: string) =>
  ({ find: () => [SECRET], options: { model, issuer } }) as unknown as Context;
