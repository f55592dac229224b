import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import * as fc from '../support/environment/fast-check.js';
import { addAccessToken, addRefreshToken, createTestModel } from '../support/models/model.js';
import { runOperation, resourceRequest, tokenRequest } from '../support/clients/requests.js';

// The tests count operations instead of seconds, because times depend on the load of the machine.

const FORM_LIMIT = 64 * 1024;

/** Returns a list that counts how often one of its elements is read. */
function counting(values: readonly string[]): { list: readonly string[]; reads: () => number } {
  let reads = 0;
  const list = new Proxy(values, {
    get(target, name, receiver): unknown {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return { list, reads: () => reads };
}

/** Hostile scopes: with many, long and repeated values, and with additional spaces. */
const scopes = fc
  .record({
    word: fc.stringMatching(/^[!#-[\]-~]{1,8}$/),
    // Half of the counts are above the limit of 128 values.
    count: fc.oneof(fc.integer({ min: 1, max: 128 }), fc.integer({ min: 129, max: 2000 })),
    times: fc.integer({ min: 1, max: 40 }),
    gap: fc.constantFrom(' ', '  ', '   '),
  })
  .map(({ word, count, times, gap }) => {
    const values = Array.from({ length: count }, (_, index) => `${word}${index}`);
    return Array.from({ length: times }, () => values.join(gap)).join(gap);
  })
  .map((text) => text.slice(0, FORM_LIMIT));

const distinct = (text: string) => [...new Set(text.split(' ').filter(Boolean))];

describe('a scope of any size', () => {
  it('is granted with each value once, or rejected before the model is called', async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scopes, async (scope) => {
        const testModel = createTestModel({ validateScope: () => true });
        const { error, body } = await runOperation(
          testModel,
          'token',
          tokenRequest({ grant_type: 'client_credentials', scope }),
        );
        outcomes.add(error?.name ?? 'granted');
        const values = distinct(scope);
        const requested = testModel.calls.map(([method]) => method).includes('validateScope');
        const refused = { error: 'invalid_scope', scope: undefined, requested: false };
        const granted = { error: undefined, scope: values.join(' '), requested: values.length <= 128 };
        expect({ error: error?.name, scope: body['scope'], requested }).toEqual(error ? refused : granted);
      }),
      // The examples guarantee that both outcomes occur.
      { numRuns: 200, examples: [['read'], [Array.from({ length: 129 }, (_, index) => `v${index}`).join(' ')]] },
    );
    expect([...outcomes].toSorted()).toEqual(['granted', 'invalid_scope']);
  });

  /** Returns how often the elements of a granted scope are read while a request is handled. */
  const readsOf = async (granted: readonly string[], wanted: readonly string[]) => {
    // Up to three values are searched one by one, and a list is read again for a header or an event.
    const bound = 8 * (granted.length + wanted.length) + 8;
    const refreshing = counting(granted);
    const testModel = createTestModel();
    addRefreshToken(testModel, { scope: refreshing.list });
    const form = { grant_type: 'refresh_token', refresh_token: 'refresh', scope: wanted.join(' ') };
    const refreshed = await runOperation(testModel, 'token', tokenRequest(form));

    const presenting = counting(granted);
    const demanding = counting(wanted);
    addAccessToken(testModel, { scope: presenting.list });
    const options = { scope: demanding.list, addAuthorizedScopesHeader: false };
    const presented = await runOperation(testModel, 'authenticate', resourceRequest(), options);

    const registering = counting(granted);
    const client = { id: 'c', grants: [], scopes: registering.list };
    const users = { findById: () => null, findByCredentials: () => null };
    const judged = await new MemoryStore({ clients: [client], users }).validateScope({}, client, wanted.join(' '));

    const reads = [refreshing.reads(), presenting.reads() + demanding.reads(), registering.reads()];
    return { bound, reads, answers: [refreshed.status === 200, presented.status === 200, Boolean(judged)] };
  };

  it('is compared in a number of steps that is linear in its length', async () => {
    const size = fc.integer({ min: 1, max: 3000 });
    await fc.assert(
      fc.asyncProperty(size, fc.integer({ min: 1, max: 128 }), fc.boolean(), async (known, requested, fits) => {
        const granted = Array.from({ length: known }, (_, index) => `s${index}`);
        // Either the last values, which a search from the front finds last, or values that were not granted.
        const wanted = fits ? granted.slice(-requested) : Array.from({ length: requested }, (_, index) => `t${index}`);
        const { bound, reads, answers } = await readsOf(granted, wanted);
        expect(answers).toEqual([fits, fits, fits]);
        expect(Math.max(...reads)).toBeLessThanOrEqual(bound);
        expect(Math.min(...reads)).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });
});
