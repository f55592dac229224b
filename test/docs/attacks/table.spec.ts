import { beforeAll, describe, expect, it } from '@jest/globals';

import { read } from './guide-code.js';
import { findSources, hasGrowingMap, hasOpenHandler, type Source } from './sources.js';
import { ATTACKS, TABLE } from './table.js';

/** Functions that block the event loop while they compute a slow hash. */
const BLOCKING = /\b(?:scrypt|pbkdf2|argon2|hash|compare|verify)Sync\(/;

/** Code with a map that only grows, and the reason why strangers cannot make it grow. */
const GROWING = {
  'sample/18-payments/src/server/model.ts': 'ten messages for each user of the demo',
  'sample/18-payments/src/server/payments.controller.ts': 'one entry for each payment that a user has approved',
};

describe('code that readers copy', () => {
  let sources: Source[];
  beforeAll(async () => {
    sources = await findSources();
  });
  const namesOf = (found: readonly Source[]) => [...new Set(found.map(({ name }) => name))].toSorted();

  it('has a row in the table of attacks if a route changes something and needs no access token', () => {
    expect(namesOf(sources.filter(hasOpenHandler))).toEqual(Object.keys(TABLE).toSorted());
  });

  it('is attacked by the tests that the table names', () => {
    for (const [source, row] of Object.entries(TABLE)) {
      const page = source.split('/').at(-1)!;
      for (const attack of ATTACKS) {
        const test = row[attack];
        if (test.startsWith('none: ')) continue;
        expect({ source, attack, test, names: read(`test/docs/attacks/${test}`).includes(page) }).toMatchObject({
          names: true,
        });
      }
    }
  });

  it('never blocks the event loop with a slow hash', () => {
    expect(namesOf(sources.filter(({ code }) => BLOCKING.test(code)))).toEqual([]);
  });

  it('has no map that only grows', () => {
    expect(namesOf(sources.filter(hasGrowingMap))).toEqual(Object.keys(GROWING));
  });

  it('reads the metadata of a decorator from the method and from the class', () => {
    const all = sources.filter(({ code }) => /getHandler\(\)/.test(code) && /getMetadata|[rR]eflector\b/.test(code));
    expect(namesOf(all.filter(({ code }) => !code.includes('getClass()')))).toEqual([]);
    expect(namesOf(all)).toContain('docs/guides/scopes-roles-permissions.md');
  });

  it('gives user names and e-mail addresses an exact collation in each migration of TypeORM', () => {
    const migrations = sources.filter(({ code }) => /name: '(?:username|email)', type: 'varchar'/.test(code));
    expect(migrations.length).toBeGreaterThan(1);
    expect(namesOf(migrations.filter(({ code }) => !code.includes('exactCollation(')))).toEqual([]);
  });
});
