import type { GrantFilter, GrantKinds, GrantRow } from 'nest-oauth2/stores';

import { forgetsTexts, type Mistake } from './broken-storages.js';

const isCorrect: Mistake = () => ({});

const EVERY_KIND: GrantKinds = ['tokens', 'session', 'consent', 'account'];

/** A mistake for each rule about lists, revocation and clients, by the check that detects it. */
export const BROKEN_LISTS: Readonly<Record<string, Mistake>> = {
  'revokeGrants() revokes the grants that match every field of the filter, and no others': (honest) => ({
    revokeGrants: ({ issuer, ...filter }) => honest.revokeGrants(filter),
  }),
  'revokeGrants() covers rows that are saved later, but not new grants': (honest) => {
    const blocked = new Set<string | null>();
    return {
      async revokeGrants(filter) {
        blocked.add(filter.userId ?? null);
        return honest.revokeGrants(filter);
      },
      async find(kind, digest) {
        const found = await honest.find(kind, digest);
        return found && blocked.has(found.userId) ? undefined : found;
      },
    };
  },
  'revokeGrants() leaves grants of other kinds alone': (honest) => ({
    revokeGrants: (filter) => honest.revokeGrants({ ...filter, kinds: EVERY_KIND }),
  }),
  'revokeGrants() leaves grants of other kinds alone if kinds are revoked at the same moment': (honest) => {
    let calls = 0;
    return {
      async revokeGrants(filter) {
        calls += 1;
        if (calls < 2) return honest.revokeGrants(filter);
        return honest.revokeGrants({ ...filter, kinds: [...filter.kinds, 'account'] });
      },
    };
  },
  'revokeGrants() counts only grants that were active': (honest) => ({
    revokeGrants: async (filter) => (await honest.revokeGrants(filter)) || 1,
  }),
  'revokeGrants() covers rows that are saved at the same moment': () => ({ revokeGrants: async () => 1 }),
  'listGrants() returns active grants with a `lastUsedAt`, the most recently used first': (honest) => ({
    listGrants: async (id, kinds) => (await honest.listGrants(id, kinds)).toReversed(),
  }),
  'listGrants() returns only grants of the kinds that it names': (honest) => ({
    listGrants: (id) => honest.listGrants(id, EVERY_KIND),
  }),
  'listGrants() omits grants that `revokeBefore()` has revoked': forgetsTexts,
  'pageGrants() returns each matching grant once, from any cursor': (honest) => ({
    pageGrants: (filter, after, limit) => honest.pageGrants(filter, after, limit + 1),
  }),
  'pageGrants() returns only grants of the kinds that the filter names': (honest) => ({
    pageGrants: (filter, after, limit) => honest.pageGrants({ ...filter, kinds: EVERY_KIND }, after, limit),
  }),
  'pageGrants() omits no grant if grants are extended between two pages': (honest) => ({
    async pageGrants(filter, after = '0', limit) {
      const { grants: all } = await honest.pageGrants(filter, undefined, 1000);
      const inOrder = all.toSorted((one, other) => one.grant.expiresAt - other.grant.expiresAt);
      const end = Number(after) + limit;
      const grants = inOrder.slice(Number(after), end);
      return end < all.length ? { grants, next: String(end) } : { grants };
    },
  }),
  'pageGrants() omits expired and revoked grants': (honest) => {
    const saved: GrantRow[] = [];
    return {
      async save(grant, rows) {
        if (grant) saved.push(grant);
        await honest.save(grant, rows);
      },
      pageGrants: async ({ userId }: GrantFilter) => ({
        grants: saved.filter((grant) => grant.userId === userId).map((grant) => ({ grant, cursor: grant.id })),
      }),
    };
  },
  'pageGrants() returns a `next` if `revokeBefore()` has revoked all grants of a page': (honest) => ({
    async pageGrants(filter, after, limit) {
      const page = await honest.pageGrants(filter, after, limit);
      return page.grants.length === 0 ? { grants: [] } : page;
    },
    // The grants that `revokeBefore()` has revoked are the first ones.
    save: (grant, rows) =>
      honest.save(grant && { ...grant, id: `${grant.issuer === null ? 'z' : 'a'}${grant.id}` }, rows),
  }),
  'prune() deletes everything that has expired, and counts it': () => ({ prune: async () => 5 }),
  'prune() keeps rows and grants that have not expired': () => {
    let isPruned = false;
    return { prune: async () => Number((isPruned = true)), readText: async () => (isPruned ? undefined : 'text') };
  },
  'prune() keeps a revoked grant for a minute after its expiry': (honest) => {
    let isPruned = false;
    return {
      prune: async () => Number((isPruned = true)),
      hasGrant: async (id) => !isPruned && honest.hasGrant(id),
    };
  },
  'findClient() returns the saved client with the hashes of its secrets, also if it is disabled': (honest) => ({
    async findClient(id) {
      const found = await honest.findClient(id);
      return found && { ...found, client: { ...found.client, secretHashes: [] } };
    },
  }),
  'saveClient() saves nothing if the client has changed since it was read': (honest) => ({
    saveClient: async (client, _, ends) => honest.saveClient(client, await honest.findClient(client.id), ends),
  }),
  'saveClient() revokes the grants of the client only with `revokesGrants`': (honest) => ({
    saveClient: (client, previous) => honest.saveClient(client, previous, false),
  }),
  'saveClient() gives a new client no grants of a removed client with its ID': (honest) => ({
    saveClient: (client, previous, ends) =>
      previous ? honest.saveClient(client, previous, ends) : honest.addNewClient(client),
  }),
  'saveClient() returns true to one of many concurrent callers': (honest) => ({
    saveClient: async (client, previous, ends) => (await honest.saveClient(client, previous, ends)) || true,
  }),
  'addNewClient() adds a client unless its ID is or was in use, and keeps grants': (honest) => ({
    addNewClient: (client) => honest.saveClient(client, undefined, false),
  }),
  'addNewClient() returns true to one of many concurrent callers': (honest) => ({
    addNewClient: async (client) => (await honest.addNewClient(client)) || true,
  }),
  'removeClient() removes a client with its grants and remembers the ID': (honest) => ({
    removeClient: async (id) => (await honest.removeClient(id)) || true,
  }),
  'listClients() returns pages in the order of the bytes of the IDs': (honest) => ({
    async listClients(after, limit) {
      const page = await honest.listClients(after, limit);
      return { ...page, clients: page.clients.toReversed() };
    },
  }),
  'readClock() returns milliseconds since the epoch': () => ({ readClock: async () => Math.floor(Date.now() / 1000) }),
  'findClient() compares IDs byte by byte': (honest) => ({ findClient: (id) => honest.findClient(id.trim()) }),
  'revokeGrants() compares IDs byte by byte': (honest) => ({ hasGrant: (id) => honest.hasGrant(id.trim()) }),
  // The correct storage uses the clock of the process, and is always reachable.
  'once() uses the clock of the database': isCorrect,
  'count() uses the clock of the database': isCorrect,
  'listGrants() uses the clock of the database': isCorrect,
  'prune() uses the clock of the database': isCorrect,
  'save() rejects, as every method does, if the database cannot be reached': isCorrect,
};
