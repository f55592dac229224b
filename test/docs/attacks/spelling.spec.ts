import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { getTableConfig, type MySqlTable } from 'drizzle-orm/mysql-core';
import type { AccountUsers } from 'nest-oauth2/accounts';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { DataSource, type MigrationInterface } from 'typeorm';

import { add } from '../../../src/schematics/index.js';
import { StagedApplication } from '../../src/schematics/staged-application.js';

import { findServers } from '../../stores/typeorm-databases.js';
import { describeEach } from '../../support/environment/requirements.js';
import { stopApplications } from '../../support/servers/test-application.js';
import { GuideCode } from './guide-code.js';
import { OpenTable, type PasswordUsers, SignUpApplication } from './password-application.js';

const VICTIM = 'victim@example.com';
const PASSWORD = 'the password of the victim';
const ATTACK = 'the password of the attacker';

/** Addresses of other domains and users that collations of MariaDB and MySQL treat as equal to the victim's. */
const SPELLINGS = ['victim@exàmple.com', 'vïctim@example.com', 'victim@example.com\u0080', 'ⓥictim@example.com'];

const mariadb = (await findServers()).filter(({ name }) => name === 'MariaDB');
const { url = '' } = (mariadb[0]?.options() ?? {}) as { url?: string };

/** A database that only this process uses. */
const database = `attack_${process.pid}_${Date.now()}`;
const own = url ? new URL(database, url).href : '';

/** Runs statements on the server. */
async function run(address: string, ...statements: string[]): Promise<unknown> {
  const db = await new DataSource({ type: 'mariadb', url: address }).initialize();
  try {
    let result: unknown;
    for (const statement of statements) result = await db.query(statement);
    return result;
  } finally {
    await db.destroy();
  }
}

describeEach(mariadb)('takeover by spelling', () => {
  beforeAll(() => run(url, `CREATE DATABASE ${database} COLLATE utf8mb4_unicode_ci`));
  afterAll(() => run(url, `DROP DATABASE ${database}`));

  const COLLATIONS = ['utf8mb4_general_ci', 'utf8mb4_unicode_520_ci', 'utf8mb4_nopad_bin'];

  /** Opens the users service of a guide over a new table in MariaDB. */
  const open = async <T>(guide: GuideCode, collation: string, columns: string) =>
    OpenTable.open<T>(guide, { type: 'mariadb', url: own }, async (db) => {
      await db.query('DROP TABLE IF EXISTS accounts');
      await db.query(
        `CREATE TABLE accounts (id varchar(36) PRIMARY KEY, email varchar(191) UNIQUE ${columns}) COLLATE ${collation}`,
      );
    });

  describe('in docs/guides/users-and-passwords.md', () => {
    const guide = GuideCode.write('spelling', ['docs/guides/users-and-passwords.md']);
    const columns = ', passwordHash varchar(255), passwordVersion int';
    const network = '192.0.2.1';
    let table: OpenTable<PasswordUsers> | undefined;
    afterEach(() => table?.close());
    afterAll(() => guide.remove());

    it.each(COLLATIONS)(
      'keeps the password of an account if an attacker adds a similar address, with the collation %s',
      async (collation) => {
        table = await open<PasswordUsers>(guide, collation, columns);
        const { users } = table;
        const store = new MemoryStore({ users });
        await users.create(VICTIM, PASSWORD, network);
        for (const typed of SPELLINGS) {
          await users.create(typed, ATTACK, network);
          expect(await store.getUser(VICTIM, ATTACK)).toBeFalsy();
          expect(await store.getUser(VICTIM, PASSWORD)).toMatchObject({ email: VICTIM });
          expect(await store.getUser(typed, PASSWORD)).toBeFalsy();
        }
      },
    );

    it('changes no password of an account whose address or password has changed', async () => {
      table = await open<PasswordUsers>(guide, 'utf8mb4_nopad_bin', columns);
      const { users } = table;
      const found = (await users.create(VICTIM, PASSWORD, network))!;
      expect(await users.setPassword({ ...found, email: 'old@example.com' }, ATTACK, network)).toBeNull();
      expect(await users.setPassword(found, 'a password of the owner', network)).toMatchObject({ passwordVersion: 2 });
      expect(await users.setPassword(found, ATTACK, network)).toBeNull();
      expect(await new MemoryStore({ users }).getUser(VICTIM, ATTACK)).toBeFalsy();
    });
  });

  describe('in docs/guides/sign-up-and-reset.md', () => {
    const guide = GuideCode.write('spelling-accounts', ['docs/guides/sign-up-and-reset.md']);
    let table: OpenTable<AccountUsers> | undefined;
    afterEach(async () => {
      await stopApplications();
      await table?.close();
    });
    afterAll(() => guide.remove());

    it.each(COLLATIONS)(
      'keeps the password of an account if an attacker uses a similar address, with the collation %s',
      async (collation) => {
        table = await open<AccountUsers>(guide, collation, '');
        const app = await SignUpApplication.start(table.users);
        await app.choose((await app.request('sign_up', VICTIM))!, PASSWORD);
        for (const typed of SPELLINGS) {
          for (const page of ['sign_up', 'forgot_password'] as const) {
            // The attacker reads e-mails to the similar address only.
            const mail = await app.request(page, typed);
            if (mail) await app.choose(mail, ATTACK);
          }
          expect(await app.canSignIn(VICTIM, ATTACK)).toBe(false);
        }
        expect(await app.canSignIn(VICTIM, PASSWORD)).toBe(true);
      },
    );
  });

  describe('in an application made by `nest add`', () => {
    const NAMES = ['alice', 'ALICE', 'àlice', 'alice ', 'alice\u0080'];
    const render = async (store: string) => (await new StagedApplication().run(add({ store }))).files();
    let code: GuideCode | undefined;
    afterAll(() => code?.remove());

    /** The statements that create the table of the users with each library. */
    const CREATE: Record<string, (files: Record<string, string>) => Promise<unknown>> = {
      async typeorm(files) {
        const { CreateOAuthUsers1767312000000: Create } = await importFile<{
          CreateOAuthUsers1767312000000: new () => MigrationInterface;
        }>(files, 'src/oauth/user.entity.ts');
        const db = await new DataSource({ type: 'mariadb', url: own, migrations: [Create] }).initialize();
        await db.runMigrations();
        await db.destroy();
      },
      async drizzle(files) {
        const { oauthUsers } = await importFile<{ oauthUsers: MySqlTable }>(files, 'src/oauth/schema.ts');
        const columns = getTableConfig(oauthUsers).columns.map(
          (column) => `${column.name} ${column.getSQLType()} ${column.isUnique ? 'UNIQUE' : ''}`,
        );
        await run(own, `CREATE TABLE oauth_users (${columns.join(', ')})`);
      },
      async prisma(files) {
        const [, sql] = Object.entries(files).find(([path]) => path.endsWith('migration.sql'))!;
        const users = sql.slice(sql.indexOf('CREATE TABLE `oauth_users`')).split(/;\s*$/m);
        await run(own, `SET sql_mode = 'ANSI_QUOTES'`, ...users.filter((statement) => statement.trim() !== ''));
      },
    };

    async function importFile<T>(files: Record<string, string>, path: string): Promise<T> {
      code?.remove();
      code = GuideCode.of('spelling-template', files);
      return code.import<T>(path);
    }

    it.each(Object.keys(CREATE))('keeps users apart whose names differ in one character, with %s', async (store) => {
      await run(own, 'DROP TABLE IF EXISTS oauth_users, migrations');
      await CREATE[store]!(await render(`${store}/mariadb`));
      for (const [index, name] of NAMES.entries())
        await run(own, `INSERT INTO oauth_users VALUES ('${index}', '${name}', '', 1)`);
      expect(await run(own, `SELECT username FROM oauth_users WHERE username = 'alice'`)).toEqual([
        { username: 'alice' },
      ]);
    });
  });
});
