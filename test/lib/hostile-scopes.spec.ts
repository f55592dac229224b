import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import * as fc from '../support/fast-check.js';
import { addAccessToken, addRefreshToken, createHost } from '../support/model.js';
import { answer, resourceRequest, tokenRequest } from '../support/requests.js';

// Issue 10, 1.3. Operations are counted, not seconds: a machine that is busy proves nothing.

const FORM_LIMIT = 64 * 1024;

/** A list that counts how often one of its elements is read. */
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

/** Scope values as somebody sends them who means harm: many, long, repeated, and with spaces to spare. */
const scopes = fc
  .record({
    word: fc.stringMatching(/^[!#-[\]-~]{1,8}$/),
    // As often too many as not.
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

describe('a scope', () => {
  it('of any size is granted once per value, or refused before anybody is asked about it', async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scopes, async (scope) => {
        const host = createHost({ validateScope: () => true });
        const { error, body } = await answer(host, 'token', tokenRequest({ grant_type: 'client_credentials', scope }));
        outcomes.add(error?.name ?? 'granted');
        const values = distinct(scope);
        const asked = host.calls.map(([method]) => method).includes('validateScope');
        const refused = { error: 'invalid_scope', scope: undefined, asked: false };
        const granted = { error: undefined, scope: values.join(' '), asked: values.length <= 128 };
        expect({ error: error?.name, scope: body['scope'], asked }).toEqual(error ? refused : granted);
      }),
      // Chance alone does not bring both outcomes every time.
      { numRuns: 200, examples: [['read'], [Array.from({ length: 129 }, (_, index) => `v${index}`).join(' ')]] },
    );
    expect([...outcomes].toSorted()).toEqual(['granted', 'invalid_scope']);
  });

  /** How often elements of a granted list are read while one request is answered. */
  const readsOf = async (granted: readonly string[], wanted: readonly string[]) => {
    // Three values are looked for one by one, and a list is read again to be named in a header or to the operator.
    const bound = 8 * (granted.length + wanted.length) + 8;
    const refreshing = counting(granted);
    const host = createHost();
    addRefreshToken(host, { scope: refreshing.list });
    const form = { grant_type: 'refresh_token', refresh_token: 'refresh', scope: wanted.join(' ') };
    const refreshed = await answer(host, 'token', tokenRequest(form));

    const presenting = counting(granted);
    const demanding = counting(wanted);
    addAccessToken(host, { scope: presenting.list });
    const options = { scope: demanding.list, addAuthorizedScopesHeader: false };
    const presented = await answer(host, 'authenticate', resourceRequest(), options);

    const registering = counting(granted);
    const client = { id: 'c', grants: [], scopes: registering.list };
    const users = { findById: () => null, findByCredentials: () => null };
    const judged = await new MemoryStore({ clients: [client], users }).validateScope({}, client, wanted.join(' '));

    const reads = [refreshing.reads(), presenting.reads() + demanding.reads(), registering.reads()];
    return { bound, reads, answers: [refreshed.status === 200, presented.status === 200, Boolean(judged)] };
  };

  it('is compared in steps that grow with its length, not with its square', async () => {
    const size = fc.integer({ min: 1, max: 3000 });
    await fc.assert(
      fc.asyncProperty(size, fc.integer({ min: 1, max: 128 }), fc.boolean(), async (known, asked, fits) => {
        const granted = Array.from({ length: known }, (_, index) => `s${index}`);
        // The last ones, which a search from the front finds last; or some that are not there at all.
        const wanted = fits ? granted.slice(-asked) : Array.from({ length: asked }, (_, index) => `t${index}`);
        const { bound, reads, answers } = await readsOf(granted, wanted);
        expect(answers).toEqual([fits, fits, fits]);
        expect(Math.max(...reads)).toBeLessThanOrEqual(bound);
        expect(Math.min(...reads)).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });
});
