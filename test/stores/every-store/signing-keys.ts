import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keys, signingKeys } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';

import { type AnyStore, findStores, type OpenStore } from '../every-store.js';

const SECRET = 'a secret of thirty-two characters';

const serverOf = (store: AnyStore) =>
  new OAuth2Server({ model: store as never, issuer: 'https://id.example.com', features: [keys({ secret: SECRET })] });

async function kids(server: OAuth2Server): Promise<string[]> {
  const response = new Response();
  await server.handle('jwks', new Request({ method: 'GET', headers: {}, query: {} }), response);
  return (response.body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
}

describe.each(await findStores())('the signing keys of a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  it('the signing keys of a store are the same in all processes that start concurrently', async () => {
    const servers = Array.from({ length: 6 }, (_, at) => serverOf(at % 2 ? opened.store : opened.another));
    const all = await Promise.all(servers.map(kids));
    expect(new Set(all.flat()).size).toBe(1);
  });

  it('the signing keys of a store are rotated once by concurrent processes, and stored encrypted', async () => {
    const [one, another] = [serverOf(opened.store), serverOf(opened.another)];
    const [first, second] = await Promise.all([signingKeys(one).rotate(), signingKeys(another).rotate()]);
    expect(first).toBe(second);
    expect(await kids(serverOf(opened.store))).toHaveLength(2);
    expect(await opened.store.getSigningKeys()).toMatch(/^[\w-]+$/);
  });

  it('the signing keys of a store are replaced by one of several concurrent processes that read the same keys', async () => {
    const old = await opened.store.getSigningKeys();
    const tries = Array.from({ length: 8 }, (_, at) =>
      (at % 2 ? opened.store : opened.another).replaceSigningKeys(old, `text-${at}`),
    );
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    expect(await opened.store.replaceSigningKeys(undefined, 'text')).toBe(false);
    expect(await opened.another.getSigningKeys()).toMatch(/^text-\d$/);
    await opened.store.prune();
    expect(await opened.store.getSigningKeys()).toMatch(/^text-\d$/);
  });
});
