import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import libsql from 'libsql';
import mysql from 'mysql2/promise';

import { foldedName, isAmbiguousName, isUserName } from '../../../lib/internal.js';
import { Client } from 'pg';

import { SERVERS } from '../../stores/typeorm-databases.js';
import { describeEach, reportMissing, START_SERVERS } from '../../support/environment/requirements.js';

const urlOf = (name: string) => {
  const { variable, url } = SERVERS.find((server) => server.name === name)!;
  return process.env[variable] ?? url;
};

const mariadb = await mysql.createConnection({ uri: urlOf('MariaDB'), charset: 'utf8mb4' }).catch(() => undefined);
const client = new Client(urlOf('PostgreSQL'));
const postgres = await client.connect().then(
  () => client,
  () => undefined,
);

/** Returns a list with the connection to a server. The list is empty if the server is missing. */
function connectionTo<T extends object>(server: string, database: T | undefined) {
  if (!database) reportMissing(server, START_SERVERS);
  return database ? [{ server, database }] : [];
}

/** Returns names with each code point that a user name may contain, and with what Unicode decomposes it to. */
function allNames(): string[] {
  const names = new Set(['ab']);
  const add = (infix: string) => {
    for (const name of [`a${infix}b`, `ab${infix}`, `${infix}ab`]) if (isUserName(name)) names.add(name);
  };
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
    const character = String.fromCodePoint(codePoint);
    if (!isUserName(character)) continue;
    if (isAmbiguousName(character)) continue;
    const decomposed = character.normalize('NFKD');
    const bare = decomposed.replaceAll(/\p{M}/gu, '').toLowerCase();
    for (const infix of new Set([character, character.toUpperCase(), character.toLowerCase(), decomposed, bare])) {
      names.add(`a${infix}b`);
    }
    // At its ends, a name is compared in the same way, apart from spaces.
    if (codePoint < 0x3100) add(character);
  }
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  for (const first of letters) for (const second of letters) names.add(`a${first}${second}b`);
  return [...names].filter((name) => isUserName(name) && !isAmbiguousName(name));
}

describe('the folded user name', () => {
  const names = allNames();
  const keys = names.map(foldedName);

  /** Expects one folded name for each group of names that a database treats as equal. */
  function expectOneKeyEach(groups: Iterable<readonly number[]>): void {
    const wrong: string[][] = [];
    let compared = 0;
    for (const group of groups) {
      compared += group.length;
      if (new Set(group.map((id) => keys[id])).size > 1) wrong.push(group.slice(0, 10).map((id) => names[id]!));
    }
    expect(wrong.slice(0, 10)).toEqual([]);
    expect(compared).toBeGreaterThan(500);
  }

  it('covers every code point of the scripts in common use, and distinguishes their letters', () => {
    expect(names.length).toBeGreaterThan(100_000);
    for (const name of [
      'alice',
      'zoë@example.com',
      'Ольга',
      '山田太郎',
      'やまだ',
      '김철수',
      'محمد',
      'नेहा',
      'Đặng',
      '😀',
    ])
      expect([name, isUserName(name), isAmbiguousName(name)]).toEqual([name, true, false]);
    const different = [
      'alice',
      'alina',
      'Ольга',
      'Олега',
      '山田',
      '山本',
      'やまだ',
      'やまと',
      '김철수',
      'محمد',
      'أحمد',
    ];
    expect(new Set(different.map(foldedName)).size).toBe(different.length);
  });

  it.each(['NOCASE', 'RTRIM', 'BINARY'])('is the same for names that SQLite treats as equal by %s', (collation) => {
    const database = new libsql(':memory:');
    database.exec('CREATE TABLE names (id INTEGER, name TEXT)');
    const insert = database.prepare('INSERT INTO names VALUES (?, ?)');
    database.transaction(() => names.forEach((name, id) => insert.run(id, name)))();
    const query = `SELECT json_group_array(id) ids FROM names GROUP BY name COLLATE ${collation}`;
    const rows = database.prepare(query).all() as { ids: string }[];
    expectOneKeyEach(rows.map(({ ids }) => JSON.parse(ids) as number[]));
    database.close();
  });

  describeEach(connectionTo('MariaDB', mariadb))('on $server', ({ database }) => {
    beforeAll(async () => {
      await database.query('CREATE TEMPORARY TABLE folded_names (id INT, name VARBINARY(255))');
      for (let start = 0; start < names.length; start += 5000) {
        const rows = names.slice(start, start + 5000).map((name, index) => [start + index, Buffer.from(name)]);
        await database.query('INSERT INTO folded_names VALUES ?', [rows]);
      }
    }, 60_000);
    afterAll(() => database.end());

    it.each([
      'general_ci',
      'general_nopad_ci',
      'unicode_ci',
      'unicode_520_ci',
      'uca1400_ai_ci',
      'uca1400_as_ci',
      'german2_ci',
      'swedish_ci',
      'danish_ci',
      'turkish_ci',
      'spanish2_ci',
      'croatian_ci',
      'bin',
    ])(
      'is the same for names that utf8mb4_%s treats as equal',
      async (collation) => {
        const weight = `HEX(WEIGHT_STRING(CONVERT(name USING utf8mb4) COLLATE utf8mb4_${collation}))`;
        const [rows] = await database.query<mysql.RowDataPacket[]>(`SELECT id, ${weight} weight FROM folded_names`);
        const groups = new Map<string, number[]>();
        for (const { id, weight: key } of rows as { id: number; weight: string }[]) {
          const group = groups.get(key);
          if (group) group.push(id);
          else groups.set(key, [id]);
        }
        expectOneKeyEach(groups.values());
      },
      60_000,
    );
  });

  describeEach(connectionTo('PostgreSQL', postgres))('on $server', ({ database }) => {
    beforeAll(async () => {
      await database.query('CREATE TEMPORARY TABLE folded_names (id int, name text)');
      const insert = 'INSERT INTO folded_names SELECT * FROM unnest($1::int[], $2::text[])';
      await database.query(insert, [names.map((_, id) => id), names]);
    }, 60_000);
    afterAll(() => database.end());

    it.each([
      ['a case-insensitive index', 'lower(name)', undefined],
      ['a collation without case', 'name COLLATE pg_temp.folded', 'und-u-ks-level2'],
      ['a collation without case and accents', 'name COLLATE pg_temp.folded', 'und-u-ks-level1'],
      ['a German collation of phone books', 'name COLLATE pg_temp.folded', 'de-u-co-phonebk-ks-level1'],
      ['the default collation', 'name', undefined],
    ])(
      'is the same for names that %s treats as equal',
      async (_name, key, locale) => {
        await database.query('DROP COLLATION IF EXISTS pg_temp.folded');
        const collation = `(provider = icu, locale = '${locale}', deterministic = false)`;
        if (locale !== undefined) await database.query(`CREATE COLLATION pg_temp.folded ${collation}`);
        const { rows } = await database.query<{ ids: number[] }>(
          `SELECT array_agg(id) ids FROM folded_names GROUP BY ${key}`,
        );
        expectOneKeyEach(rows.map(({ ids }) => ids));
      },
      60_000,
    );
  });
});
