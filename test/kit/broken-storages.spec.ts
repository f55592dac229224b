import { describe, expect, it } from '@jest/globals';

import { runStorageCheck, STORAGE_CHECKS } from '../../lib/kit/storage/check-storage.js';
import { MapStorage } from '../stores/map-storage.js';
import { BROKEN_LISTS } from './broken-lists.js';
import { BROKEN_STORAGES } from './broken-storages.js';

const BROKEN = { ...BROKEN_STORAGES, ...BROKEN_LISTS };

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
});
