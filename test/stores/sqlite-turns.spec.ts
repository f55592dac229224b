import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ALICE, later } from '../support/models/model.js';
import { findStores, type OpenStore, WEB } from './every-store.js';
import { findDatabasesOfLibraries } from './typeorm-databases.js';

const WRITES = 50;
const stores = (await findStores(findDatabasesOfLibraries)).filter(({ name }) => name.startsWith('SQLite in a file,'));

describe.each(stores)('concurrent writes of a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  it('leave the event loop to others after each write, although SQLite is synchronous', async () => {
    let isRunning = true;
    let turns = 0;
    const count = () => {
      turns += 1;
      if (isRunning) setImmediate(count);
    };
    count();
    const { store } = opened;
    const code = () => ({
      authorizationCode: randomUUID(),
      expiresAt: later(),
      redirectUri: 'https://app.example.com/cb',
    });
    await Promise.all(Array.from({ length: WRITES }, () => store.saveAuthorizationCode(code(), WEB, ALICE)));
    isRunning = false;
    expect(turns).toBeGreaterThanOrEqual(WRITES);
  });
});
