import { describe, expect, it } from '@jest/globals';

import { findStores } from '../every-store.js';

describe.each(await findStores())('ping() of a store in $name', ({ open }) => {
  it('ping() of a store resolves if the database is available', async () => {
    const { store, close } = await open();
    await expect(store.ping()).resolves.toBeUndefined();
    await close();
  });
});
