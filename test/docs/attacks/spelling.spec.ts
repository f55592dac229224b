import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { getTableConfig, type MySqlTable } from 'drizzle-orm/mysql-core';
import { DataSource, type MigrationInterface } from 'typeorm';

import { add } from '../../../src/schematics/index.js';
import { StagedApplication } from '../../src/schematics/staged-application.js';

import { findServers } from '../../stores/typeorm-databases.js';
import { stopApplications } from '../../support/test-application.js';
import { GuideCode } from './guide-code.js';
import { PasswordApplication, passwordCode, writePasswordCode } from './password-application.js';

const VICTIM = 'victim@example.com';
const PASSWORD = 'the password of the victim';
const ATTACK = 'the password of the attacker';

/** Addresses of other domains and users that collations of MariaDB and MySQL treat as equal to the victim's. */
const SPELLINGS = ['victim@exàmple.com', 'vïctim@example.com', 'victim@example.com\u0080', 'ⓥictim@example.com'];

const mariadb = (await findServers()).find(({ name }) => name === 'MariaDB');
const { url = '' } = (mariadb?.options() ?? {}) as { url?: string };
const describeMariaDB = mariadb ? describe : describe.skip;

/** A database that only this process uses. */
const database = `attack_${process.pid}_${Date.now()}`;
const own = mariadb ? new URL(database, url).href : '';

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

describeMariaDB('takeover by spelling', () => {
  beforeAll(() => run(url, `CREATE DATABASE ${database} COLLATE utf8mb4_unicode_ci`));
  afterAll(() => run(url, `DROP DATABASE ${database}`));

  describe('in docs/guides/users-and-passwords.md and docs/guides/sign-up-and-reset.md', () => {
    const guide = writePasswordCode('spelling');
    let application: PasswordApplication | undefined;
    afterEach(async () => {
      await stopApplications();
      await application?.close();
    });
    afterAll(() => guide.remove());

    async function start(collation: string) {
      application = await PasswordApplication.start(
        await passwordCode(guide),
        { type: 'mariadb', url: own },
        async (db) => {
          const columns = 'id varchar(36) PRIMARY KEY, email varchar(191) UNIQUE, passwordHash varchar(255)';
          await db.query('DROP TABLE IF EXISTS accounts');
          await db.query(`CREATE TABLE accounts (${columns}, passwordVersion int) COLLATE ${collation}`);
        },
      );
      await application.reset(VICTIM, PASSWORD);
      expect(await application.signIn(VICTIM, PASSWORD)).toMatchObject({ email: VICTIM });
      return application;
    }

    it.each(['utf8mb4_general_ci', 'utf8mb4_unicode_520_ci', 'utf8mb4_nopad_bin'])(
      'keeps the password of an account if an attacker resets that of a similar address, with the collation %s',
      async (collation) => {
        const app = await start(collation);
        for (const typed of SPELLINGS) {
          await app.reset(typed, ATTACK);
          expect(await app.signIn(VICTIM, ATTACK)).toBeFalsy();
          expect(await app.signIn(VICTIM, PASSWORD)).toMatchObject({ email: VICTIM });
          expect(app.sent.map(({ to }) => to)).not.toContain(VICTIM);
        }
      },
    );

    it('rejects a link whose account has got another address or password, or which was used', async () => {
      const app = await start('utf8mb4_nopad_bin');
      const [moved, used] = [await app.request(VICTIM), await app.request(VICTIM)];
      await run(own, `UPDATE accounts SET email = 'new@example.com'`);
      expect((await app.choose(moved.mail!, ATTACK)).status).toBe(400);
      await run(own, `UPDATE accounts SET email = '${VICTIM}'`);
      expect((await app.choose(used.mail!, 'a password of the owner')).status).toBe(303);
      for (const { mail } of [used, moved]) expect((await app.choose(mail!, ATTACK)).status).toBe(400);
      await run(own, `DELETE FROM accounts`);
      expect((await app.choose(moved.mail!, ATTACK)).status).toBe(400);
      expect(await app.signIn(VICTIM, ATTACK)).toBeFalsy();
    });
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
