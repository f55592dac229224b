import { describe, expect, it } from '@jest/globals';

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

  it.each(STORAGE_CHECKS.map((check) => [check.name, check] as const))(
    'reports a storage that violates the rule: %s',
    async (name, check) => {
      const honest = new MapStorage();
      const storage = Object.assign(Object.create(honest) as MapStorage, BROKEN[name]!(honest));
      const subject = { storage, unreachable: storage };
      const { result, error } = await runStorageCheck(check, () => subject, { skew: 3_600_000 });
      expect(result).toBe('failed');
      const [rule, ...rest] = error!.message.split('\n');
      expect(rule).toBe(`Rule: ${name}.`);
      expect(rest[0]).toMatch(/^Observed: (?!The storage threw)/);
      expect(rest.at(-1)).toMatch(/^Documentation: the comments of `(?:Client)?Storage`/);
    },
  );

  it.each(Object.entries(WRONG_STORAGES))('reports a storage that %s', async (_, mistake) => {
    const failed: string[] = [];
    for (const check of RACES) {
      const honest = new MapStorage();
      const storage = Object.assign(Object.create(honest) as MapStorage, mistake(honest));
      const { name, result } = await runStorageCheck(check, () => storage, {});
      if (result === 'failed') failed.push(name);
    }
    expect(failed).not.toEqual([]);
  });
});
