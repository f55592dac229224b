import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import libsql from 'libsql';
import type { Users } from 'nest-oauth2/stores';

import { add } from '../../../src/schematics/index.js';
import { StagedApplication } from '../../src/schematics/staged-application.js';
import { ScryptCount } from '../../stores/scrypt-count.js';
import { useRealScrypt } from '../../support/environment/real-scrypt.js';
import { stopApplications } from '../../support/servers/test-application.js';
import { type OpenUsers, startSignUp, writeSignUp } from './guide-applications.js';
import { GuideCode } from './guide-code.js';
import { OpenTable, type PasswordUsers } from './password-application.js';

const PASSWORD = 'a long password of the user';
const SQLITE = { type: 'better-sqlite3', driver: libsql, database: ':memory:' } as const;

const [passwords, signUp] = [
  GuideCode.write('enumeration', ['docs/guides/users-and-passwords.md']),
  writeSignUp('enumeration'),
];
const written = [passwords, signUp];
afterAll(() => written.forEach((guide) => guide.remove()));

/** The users of each code that verifies passwords, with the user `alice@example.com`. */
const USERS: Record<string, () => Promise<Users>> = {
  async 'docs/guides/users-and-passwords.md'() {
    const { users } = await OpenTable.open<PasswordUsers>(passwords, SQLITE);
    await users.create('alice@example.com', PASSWORD, '192.0.2.1');
    return users;
  },
  async 'docs/reference/features/sessions.md'() {
    const { users } = await startSignUp(signUp);
    await users.create('alice@example.com', PASSWORD);
    return users;
  },
  async 'an application made by nest add'() {
    const files = (await new StagedApplication().run(add({ store: 'memory' }))).files();
    const code = GuideCode.of('enumeration-template', files);
    written.push(code);
    const { Database } = await code.import<{ Database: { open(): Promise<{ users: OpenUsers }> } }>(
      'src/oauth/database.ts',
    );
    const { users } = await Database.open();
    await users.create('alice@example.com', PASSWORD);
    return users;
  },
};

/** Tries to sign in with a wrong password, as the login page does. */
async function signIn(users: Users, name: string): Promise<unknown> {
  if (!users.verifyPassword) return users.findByCredentials!(name, 'a wrong password');
  return users.verifyPassword((await users.findByUsername!(name)) || undefined, 'a wrong password');
}

describe.each(Object.keys(USERS))('the users of %s', (source) => {
  let scrypt: ScryptCount;
  beforeEach(() => {
    scrypt = new ScryptCount();
  });
  afterEach(async () => {
    scrypt.stop();
    await stopApplications();
  });

  it('compute as many hashes for an unknown user as for a wrong password', async () => {
    const users = await USERS[source]!();
    const cost = (name: string) => scrypt.during(async () => expect(await signIn(users, name)).toBeFalsy());
    expect([await cost('alice@example.com'), await cost('unknown@example.com')]).toEqual([1, 1]);
  });
});

describe('unbounded work', () => {
  afterEach(stopApplications);

  it.each(['docs/reference/features/sessions.md', 'an application made by nest add'])(
    'is not ordered by many concurrent sign-ins in %s',
    async (source) => {
      const users = await USERS[source]!();
      const scrypt = new ScryptCount();
      const attempts = Array.from({ length: 10 }, (_, index) => signIn(users, `user-${index}`));
      await Promise.allSettled(attempts);
      scrypt.stop();
      expect(scrypt.total).toBeGreaterThan(0);
      expect(scrypt.atOnce).toBeLessThanOrEqual(2);
    },
  );
});

describe('the sign-up page of docs/reference/features/sessions.md', () => {
  afterEach(stopApplications);

  it('computes a hash for a name that is taken too', async () => {
    const app = await startSignUp(signUp);
    await app.users.create('alice@example.com', PASSWORD);
    const scrypt = new ScryptCount();
    const costs: number[] = [];
    for (const username of ['alice@example.com', 'new@example.com']) {
      const browser = app.browser();
      const form = await browser.get('/sign-up');
      costs.push(await scrypt.during(() => browser.send(form, { username, password: PASSWORD })));
    }
    scrypt.stop();
    expect(costs).toEqual([1, 1]);
  });
});

describe('many hashes that one network orders', () => {
  // A cheap hash ends before many of them wait.
  beforeAll(useRealScrypt);
  afterEach(stopApplications);

  /** More hashes than may wait for one network. */
  const MANY = 60;

  it('do not refuse a sign-up of another network in docs/reference/features/sessions.md', async () => {
    const { users } = await startSignUp(signUp);
    const flooding = Array.from({ length: MANY }, (_, index) => users.create(`name-${index}`, PASSWORD, '192.0.2.1'));
    const results = Promise.allSettled(flooding);
    expect(await users.create('honest', PASSWORD, '192.0.2.7')).toMatchObject({ username: 'honest' });
    expect((await results).some(({ status }) => status === 'rejected')).toBe(true);
  });
});
