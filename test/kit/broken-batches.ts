import { setImmediate as tick } from 'node:timers/promises';

import type { MapStorage } from '../stores/map-storage.js';
import type { Mistake } from './broken-storages.js';

/** Runs a look-up. Its result returns from the database a moment after the database has read it. */
async function later<T>(read: () => Promise<T>): Promise<T> {
  const result = await read();
  for (let count = 0; count < 3; count++) await tick();
  return result;
}

/** Returns a look-up whose concurrent calls with the same key share the result of the first one. */
function joining<Key extends unknown[], T>(find: (...key: Key) => Promise<T>): (...key: Key) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  return (...key) => {
    const name = key.join(' ');
    const known = underWay.get(name);
    if (known) return known;
    const started = later(() => find(...key)).finally(() => underWay.delete(name));
    underWay.set(name, started);
    return started;
  };
}

/** Returns a look-up that combines concurrent calls. `answer` chooses the result of each call from all results. */
function batching<Key extends unknown[], T>(
  find: (...key: Key) => Promise<T>,
  answer: (results: readonly T[], keys: readonly Key[], index: number) => T | undefined,
): (...key: Key) => Promise<T | undefined> {
  let batch: { keys: Key[]; results: Promise<T[]> } | undefined;
  return async (...key) => {
    if (!batch) {
      const keys: Key[] = [];
      const results = tick().then(() => {
        batch = undefined;
        return Promise.all(keys.map((one) => find(...one)));
      });
      batch = { keys, results };
    }
    const { keys, results } = batch;
    const index = keys.push(key) - 1;
    return answer(await results, keys, index);
  };
}

/** Gives the results to the callers in the order of the keys in the database, not in that of the calls. */
const inOrderOfDatabase = <Key extends unknown[], T>(find: (...key: Key) => Promise<T>) =>
  batching(find, (results, keys, index) => {
    const order = keys.map((key, at) => ({ name: key.join(' '), at })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return results[order[index]!.at];
  });

/** A mistake for each rule about concurrent look-ups, by the check that detects it. */
export const BROKEN_BATCHES: Readonly<Record<string, Mistake>> = {
  'find() returns to each of many concurrent callers the row of its key': (honest) => ({
    find: inOrderOfDatabase(honest.find.bind(honest)),
  }),
  'find() observes every write that was acknowledged before the call, during other look-ups': (honest) => ({
    find: joining(honest.find.bind(honest)),
  }),
  'hasGrant() returns to each of many concurrent callers whether its grant is active': (honest) => {
    const lookUp = inOrderOfDatabase(honest.hasGrant.bind(honest));
    return { hasGrant: async (id) => Boolean(await lookUp(id)) };
  },
  'listGrants() returns to each of many concurrent callers the grants of its user': (honest) => {
    const lookUp = inOrderOfDatabase((userId: string) => honest.listGrants(userId, ['tokens']));
    return { listGrants: async (userId) => (await lookUp(userId)) ?? [] };
  },
  'readText() returns to each of many concurrent callers the text of its name': (honest) => ({
    readText: inOrderOfDatabase(honest.readText.bind(honest)),
  }),
  'findClient() returns to each of many concurrent callers the client of its ID': (honest) => ({
    findClient: inOrderOfDatabase(honest.findClient.bind(honest)),
  }),
  'findClient() observes every write that was acknowledged before the call, during other look-ups': (honest) => ({
    findClient: joining(honest.findClient.bind(honest)),
  }),
};

/** Further wrong storages, whose mistakes are in calls at the same time. */
export const WRONG_STORAGES: Readonly<Record<string, Mistake>> = {
  'looks up digests without their kind': (honest) => ({
    find: batching(honest.find.bind(honest), (results, keys, index) => {
      const digest = keys[index]![1];
      return results[keys.findIndex((key) => key[1] === digest)];
    }),
  }),
  'returns one object to all callers of a batch with the same key': (honest) => ({
    find: batching(honest.find.bind(honest), (results, keys, index) => {
      const name = keys[index]!.join(' ');
      return results[keys.findIndex((key) => key.join(' ') === name)];
    }),
  }),
  'returns a row only to the first of several callers with the same key': (honest) => ({
    find: batching(honest.find.bind(honest), (results, keys, index) => {
      const name = keys[index]!.join(' ');
      return keys.findIndex((key) => key.join(' ') === name) === index ? results[index] : undefined;
    }),
  }),
  'omits the rows after the first 32 of a batch': (honest) => ({
    find: batching(honest.find.bind(honest), (results, _, index) => (index < 32 ? results[index] : undefined)),
  }),
  'omits the missing keys of a batch, so that later results move up': (honest) => ({
    find: batching(honest.find.bind(honest), (results, _, index) => results.filter((one) => one)[index]),
  }),
  'remembers for a moment that a row is missing': (honest) => {
    const missing = new Map<string, number>();
    return {
      async find(kind, digest) {
        if ((missing.get(kind + digest) ?? 0) > performance.now()) return undefined;
        const found = await honest.find(kind, digest);
        if (!found) missing.set(kind + digest, performance.now() + 1000);
        return found;
      },
    };
  },
  'remembers for a moment that a row is unused': (honest) => {
    const known = new Map<string, { until: number; found: Awaited<ReturnType<MapStorage['find']>> }>();
    return {
      async find(kind, digest) {
        const cached = known.get(kind + digest);
        if (cached && cached.until > performance.now()) return cached.found && { ...cached.found };
        const found = await honest.find(kind, digest);
        if (found?.revokedAt === null) known.set(kind + digest, { until: performance.now() + 1000, found });
        return found;
      },
    };
  },
  'acknowledges `consume()` before it has an effect': (honest) => ({
    async consume(kind, digest) {
      const found = await honest.find(kind, digest);
      void later(async () => undefined).then(() => honest.consume(kind, digest));
      return found?.revokedAt === null;
    },
  }),
  'acknowledges `save()` before the rows are found': (honest) => ({
    async save(grant, rows) {
      if (grant) await honest.save(grant, []);
      void later(async () => undefined).then(() => honest.save(grant, rows));
    },
  }),
  'acknowledges `revokeGrants()` before it has an effect': (honest) => ({
    async revokeGrants(filter) {
      void later(async () => undefined).then(() => honest.revokeGrants(filter));
      return 1;
    },
  }),
  'remembers for a moment which client an ID has': (honest) => {
    const known = new Map<string, Awaited<ReturnType<MapStorage['findClient']>>>();
    return {
      async findClient(id) {
        if (known.has(id)) return known.get(id);
        const found = await honest.findClient(id);
        known.set(id, found);
        setTimeout(() => known.delete(id), 200).unref();
        return found;
      },
    };
  },
  'saves the grants of a batch but only the rows of its last call': (honest) => {
    let last: object | undefined;
    return {
      async save(grant, rows) {
        const own = (last = {});
        await tick();
        await honest.save(grant, last === own ? rows : []);
      },
    };
  },
  'shares the result of `once()` between concurrent callers': (honest) => {
    const underWay = new Map<string, Promise<boolean>>();
    return {
      once(digest, seconds) {
        const started = underWay.get(digest) ?? later(() => honest.once(digest, seconds));
        underWay.set(digest, started);
        return started;
      },
    };
  },
};
