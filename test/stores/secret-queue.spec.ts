import { scryptSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import { hashSecret, MemoryStore, newClientSecret, type StoredClient } from 'nest-oauth2/stores/memory';

import { useRealScrypt } from '../support/environment/real-scrypt.js';
import { runOperation, basic, FORM, tokenRequest } from '../support/clients/requests.js';
import { ScryptCount } from './scrypt-count.js';

useRealScrypt();

const users = { findByCredentials: () => undefined, findById: () => undefined };
const chosen = await hashSecret('s3cret');
/** Verified in two milliseconds, so that the counts do not depend on the load of the machine. */
const quick = `$scrypt$ln=10,r=8,p=1$c2FsdA$${scryptSync('s3cret', 'salt', 32, { N: 1024 }).toString('base64').replace('=', '')}`;
const grants = ['client_credentials'];
const wrong = (count: number) => Array.from({ length: count }, (_, index) => `wrong-${index}`);

/** Returns a store that finds a client with the same secret for any id. */
const storeOf = (secretHashes: string[] = [quick]) =>
  new MemoryStore({
    clients: {
      findById: (id): StoredClient | undefined => (id === 'unknown' ? undefined : { id, grants, secretHashes }),
    },
    users,
  });

describe('the verification of wrong client secrets', () => {
  let scrypt: ScryptCount;
  beforeEach(() => {
    scrypt = new ScryptCount();
  });
  afterEach(() => scrypt.stop());

  it('runs at most two scrypt computations at a time for all clients', async () => {
    const store = storeOf();
    const found = await Promise.all(wrong(24).map((secret, index) => store.getClient(`client-${index}`, secret)));
    expect(found).toEqual(Array(24).fill(undefined));
    expect([scrypt.total, scrypt.atOnce]).toEqual([24, 2]);
  });

  it('runs one scrypt computation at a time per client; sixteen more wait, and further ones are rejected', async () => {
    const store = storeOf();
    const responses = await Promise.allSettled(wrong(64).map((secret) => store.getClient('web', secret)));
    expect(responses.filter(({ status }) => status === 'fulfilled')).toHaveLength(17);
    const refusals = responses.filter((each) => each.status === 'rejected').map(({ reason }) => reason as object);
    for (const each of refusals) expect(each).toMatchObject({ name: 'temporarily_unavailable', retryAfter: 2 });
    expect([scrypt.total, scrypt.atOnce]).toEqual([17, 1]);
  });

  it('responds with 503 and Retry-After at the token endpoint if too many are waiting', async () => {
    const server = new OAuth2Server({ model: storeOf() });
    const ask = (secret: string) => {
      const headers = { ...FORM, authorization: basic('web', secret) };
      return runOperation(server, 'token', tokenRequest({ grant_type: 'client_credentials' }, { headers }));
    };
    const responses = await Promise.all(wrong(20).map(ask));
    expect(responses.map(({ status }) => status).filter((status) => status === 401)).toHaveLength(17);
    expect(responses.filter(({ status }) => status === 503)).toHaveLength(3);
    const refused = responses.find(({ status }) => status === 503)!;
    expect(refused.headers).toMatchObject({ 'retry-after': '2', 'cache-control': 'no-store' });
    expect(refused.body).toMatchObject({ error: 'temporarily_unavailable' });
  });

  it('for one client delays neither other clients nor file access nor recently verified clients', async () => {
    const store = storeOf([chosen]);
    await store.getClient('known', 's3cret');
    const done: string[] = [];
    const note = async (what: string, work: Promise<unknown>) => {
      await work.catch(() => 'too late, on a busy machine');
      done.push(what);
    };
    const attack = wrong(17).map((secret) => note('wrong', store.getClient('web', secret)));
    await Promise.all([
      ...attack,
      note('another', store.getClient('another', 'wrong')),
      note('file', readFile(import.meta.filename)),
      note('known', store.getClient('known', 's3cret')),
    ]);
    const places = ['known', 'file', 'another'].map((what) => done.indexOf(what));
    expect(places[0]).toBe(0);
    for (const place of places) expect(place).toBeLessThan(9);
  });

  it('under attack does not lock out a client that authenticated recently', async () => {
    const store = storeOf();
    await store.getClient('web', 's3cret');
    const attack = wrong(64).map((secret) => store.getClient('web', secret).catch(() => undefined));
    expect(await scrypt.during(() => store.getClient('web', 's3cret'))).toBe(1);
    expect(await store.getClient('web', 's3cret')).toMatchObject({ id: 'web' });
    await Promise.all(attack);
  });

  it.each([
    ['unknown', [quick]],
    ['public', []],
    ['registered with a generated secret', [newClientSecret().secretHash]],
    ['registered with an invalid hash', ['$2b$10$notscryptatall']],
  ])('runs no scrypt for a client that is %s', async (id, hashes) => {
    const store = storeOf(hashes);
    expect(await scrypt.during(() => store.getClient(id, 'wrong'))).toBe(0);
    expect(await store.getClient(id, 'wrong')).toBeUndefined();
  });

  it('leaves threads free, because concurrent hashSecret() calls of the application run one at a time', async () => {
    await Promise.all(Array.from({ length: 6 }, (_, index) => hashSecret(`secret ${index}`)));
    expect([scrypt.total, scrypt.atOnce]).toEqual([6, 1]);
  });
});
