import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { DEPLOYMENT_RULES } from '../../src/report/deployment/rules.js';
import { RULES } from '../../src/report/rules/index.js';
import { CATALOG } from '../../src/testing/attack-lab/catalog.js';

const root = join(import.meta.dirname, '../..');
const rows = readFileSync(join(root, 'docs/reference/attacks-and-checks.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').slice(1, -1));

it('docs/reference/attacks-and-checks.md names only attacks, rules and tests that exist', () => {
  const attacks = new Set(CATALOG.map(({ id }) => id));
  const rules = new Set([...Object.values(RULES).flat(), ...DEPLOYMENT_RULES].map(({ id }) => id));
  expect(rows.length).toBeGreaterThan(140);
  const unknown = rows.flatMap(([test, , , here]) => {
    const groups = [...here!.matchAll(/\b(attack|rule)s? ((?:`[\w-]+`(?:, )?)+)/gi)].flatMap(([, kind, names]) =>
      [...names!.matchAll(/`([\w-]+)`/g)].map(([, name]) => ({
        name: name!,
        known: kind!.toLowerCase() === 'rule' ? rules : attacks,
      })),
    );
    const files = [...here!.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path]) => path!);
    return [
      ...groups.filter(({ name, known }) => !known.has(name)).map(({ name }) => `${test}: ${name}`),
      ...files.filter((path) => !existsSync(join(root, path))).map((path) => `${test}: ${path}`),
    ];
  });
  expect(unknown).toEqual([]);
});

it('docs/reference/attacks-and-checks.md explains each test case once', () => {
  const names = rows.map(([test]) => test!.trim());
  expect(new Set(names).size).toBe(names.length);
  expect(rows.filter((cells) => cells.length !== 4 || cells[3]!.trim().length < 10)).toEqual([]);
});
