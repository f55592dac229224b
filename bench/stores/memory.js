import { MemoryStore } from 'nest-oauth2/stores/memory';
import { clients, users } from './fixtures.js';

/** Opens the memory store. Its floor is a map. */
export async function open() {
  const rows = new Map();
  const floor = {
    async issue(row) {
      // Equal to the limit of the store.
      if (rows.size >= 200_000) rows.delete(rows.keys().next().value);
      rows.set(row.access, row);
      return true;
    },
    check: async ({ access }) => rows.get(access),
  };
  return {
    title: 'memory',
    store: new MemoryStore({ clients, users }),
    storeWith: async (kept) => new MemoryStore({ clients: kept, users }),
    floor,
    close: async () => rows.clear(),
  };
}
