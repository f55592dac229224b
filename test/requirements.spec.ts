import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

const REQUIREMENTS = join(import.meta.dirname, 'support/environment/requirements.ts');
/** The folders whose tests are no part of `npm test`. */
const OTHER_PROJECTS = ['browser', 'drills', 'first-contact', 'matrix', 'package'];

const specs = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('spec.ts') && !OTHER_PROJECTS.includes(path.split(/[\\/]/)[0]!))
  .map((path) => join(import.meta.dirname, path));

/** Returns a file and all files that it imports by a relative path. */
function closureOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g)) {
    const [source, exact] = [join(dirname(file), path!.replace(/\.js$/, '.ts')), join(dirname(file), path!)];
    const imported = [source, exact].find((each) => existsSync(each));
    if (imported?.startsWith(import.meta.dirname)) closureOf(imported, found);
  }
  return found;
}

/** The import of a driver of a server, and the start of a program other than Node.js, npm and git. */
const DRIVER = /^import (?!type ).*from '(?:ioredis|redis|pg|mysql2[^']*|mongoose|@nats-io[^']*|playwright-core)'/m;
const PROCESSES = /^import .* from 'node:child_process'/m;
const PROGRAM = /\b(?:spawn|execFile)(?:Sync)?\)?\(\s*(?!process\.execPath|'(?:node|npm|git)')/;

/** The tests that import a driver and never connect to a server, with the reason. */
const WITHOUT_SERVER: Readonly<Record<string, string>> = {
  'src/configuration/mistakes-of-features.e2e-spec.ts': 'its client is not connected',
  'src/health.e2e-spec.ts': 'its client connects to a closed port',
  'src/proof/kills.e2e-spec.ts': 'its stores are SQLite files',
  'src/transports/table.spec.ts': 'it reads only the table of the transports',
  'stores/redis-scripts.spec.ts': 'its clients do not connect',
};

describe('the tests that need a server or a program', () => {
  it('report it as missing by test/support/environment/requirements.ts, so that `npm run test:bare` runs them', () => {
    const unreported = specs.filter((spec) => {
      const files = [...closureOf(spec)];
      if (files.includes(REQUIREMENTS)) return false;
      return files.some((file) => {
        const text = readFileSync(file, 'utf8');
        return DRIVER.test(text) || (PROCESSES.test(text) && PROGRAM.test(text));
      });
    });
    const names = unreported.map((file) => file.slice(import.meta.dirname.length + 1).replaceAll('\\', '/'));
    expect(names.toSorted()).toEqual(Object.keys(WITHOUT_SERVER));
  });
});
