import { beforeAll, describe, expect, it } from '@jest/globals';

import { freshApplication, install, run } from './applications.js';

// If better-sqlite3 is compiled, optimization takes most of the time. The compiler applies the last `-O`.
Object.assign(process.env, { CFLAGS: '-O0', CXXFLAGS: '-O0' });

const host = await freshApplication('typeorm@1', 'libsql@0.5');

/** Returns the available drivers. libsql has prebuilt binaries, while better-sqlite3 may need to be compiled. */
async function findDrivers(): Promise<string[]> {
  try {
    await install(host, 'better-sqlite3@12');
    await run(host, 'node', '-e', "new (require('better-sqlite3'))(':memory:')");
    return ['libsql', 'better-sqlite3'];
  } catch (error) {
    const [reason] = /^.*\b(gyp ERR!|Could not locate the bindings|Error:).*$/m.exec((error as Error).message) ?? [];
    process.stderr.write(`NOT TESTED with better-sqlite3, which cannot be built here: ${reason ?? String(error)}\n`);
    return ['libsql'];
  }
}

const drivers = await findDrivers();

// The application already has TypeORM 1.
describe.each(['1', '0.3'])('the TypeORM store in an application with SQLite and TypeORM %s', (version) => {
  beforeAll(async () => {
    if (version !== '1') await install(host, `typeorm@${version}`);
  });

  it.each(drivers)('passes the model contract with %s', async (driver) => {
    expect(JSON.parse(await run(host, 'node', 'sqlite.mjs', driver))).toEqual({ ok: true, codes: 'atomic' });
  });
});
