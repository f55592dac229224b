import { beforeAll, describe, expect, it } from '@jest/globals';

import { runStorageCheck, STORAGE_CHECKS } from '../../lib/kit/storage/check-storage.js';
import { MapStorage } from '../stores/map-storage.js';
import { BROKEN_BATCHES, WRONG_STORAGES } from './broken-batches.js';
import { BROKEN_INSERTS } from './broken-inserts.js';
import { BROKEN_LISTS } from './broken-lists.js';
import { BROKEN_STORAGES } from './broken-storages.js';

const BROKEN = { ...BROKEN_STORAGES, ...BROKEN_BATCHES, ...BROKEN_LISTS, ...BROKEN_INSERTS };
/** The checks of concurrent calls. They need no other connection and do not wait. */
const RACES = STORAGE_CHECKS.filter(({ race }) => race);

describe('the storage contract', () => {
  it('has a broken storage for each check', () => {
    expect(Object.keys(BROKEN).toSorted()).toEqual(STORAGE_CHECKS.map(({ name }) => name).toSorted());
  });

  /** The checks that shift the clock of the process. They run alone. */
  const shiftsClock = ({ name }: (typeof STORAGE_CHECKS)[number]) => name.endsWith('uses the clock of the database');
  const run = (check: (typeof STORAGE_CHECKS)[number]) => {
    const honest = new MapStorage();
    const storage = Object.assign(Object.create(honest) as MapStorage, BROKEN[check.name]!(honest));
    return runStorageCheck(check, () => ({ storage, unreachable: storage }), { skew: 3_600_000 });
  };
  /** The results of the other checks, which run together, because they only wait. */
  const results = new Map<string, ReturnType<typeof run>>();
  beforeAll(async () => {
    for (const check of STORAGE_CHECKS) if (!shiftsClock(check)) results.set(check.name, run(check));
    await Promise.all(results.values());
  }, 60_000);

  it.each(STORAGE_CHECKS.map((check) => [check.name, check] as const))(
    'reports a storage that violates the rule: %s',
    async (name, check) => {
      const { result, error } = await (results.get(name) ?? run(check));
      expect(result).toBe('failed');
      const [rule, ...rest] = error!.message.split('\n');
      expect(rule).toBe(`Rule: ${name}.`);
      expect(rest[0]).toMatch(/^Observed: (?!The storage threw)/);
      expect(rest.at(-1)).toMatch(/^Documentation: the comments of `(?:Client)?Storage`/);
    },
  );

  /** Returns the names of the races that report a storage with this mistake. */
  async function racesLost(mistake: (typeof WRONG_STORAGES)[string]): Promise<string[]> {
    const failed: string[] = [];
    for (const check of RACES) {
      const honest = new MapStorage();
      const storage = Object.assign(Object.create(honest) as MapStorage, mistake(honest));
      const { name, result } = await runStorageCheck(check, () => storage, {});
      if (result === 'failed') failed.push(name);
    }
    return failed;
  }
  const lost = new Map<string, Promise<string[]>>();
  beforeAll(async () => {
    for (const [name, mistake] of Object.entries(WRONG_STORAGES)) lost.set(name, racesLost(mistake));
    await Promise.all(lost.values());
  }, 60_000);

  it.each(Object.keys(WRONG_STORAGES))('reports a storage that %s', async (name) => {
    expect(await lost.get(name)).not.toEqual([]);
  });
});
