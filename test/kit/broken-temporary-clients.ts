import { setImmediate as tick } from 'node:timers/promises';

import type { BrokenModel } from './broken-model.js';

const BROKEN = { 'administered clients': 'broken', 'client authentication': 'kept' } as const;
const UNREGISTERED = { 'registered clients': 'broken' } as const;
const RETIRED = 'refuses a client that is retired, until it is restored, and ends what it was given';

/** Mistakes with clients that are created and changed while the server runs. */
export const BROKEN_TEMPORARY_CLIENTS: readonly BrokenModel[] = [
  {
    mistake: 'looks first whether a client is there, and keeps it then',
    methods: ({ clients, createClient }) => ({
      async createClient(client) {
        if (clients.has(client.id)) return false;
        const made: typeof clients = new Map();
        await createClient.call({ clients: made } as never, client);
        clients.set(client.id, made.get(client.id)!);
        return true;
      },
    }),
    fails: 'keeps a new client for one of many who create it at once',
    finding: /`createClient\(\)` returned true to (?!1 of)\d+ of 20 callers at once/,
    remedy: /ON CONFLICT \(id\) DO NOTHING/,
    leaves: { 'administered clients': 'best effort' },
  },
  {
    mistake: 'shows the secrets of clients to their administrator',
    methods: ({ clients }) => ({ findClient: async (id) => clients.get(id) as never }),
    fails: 'knows a client by its secret, and shows that to nobody',
    finding: /`findClient\(\)` shows the secret/,
    remedy: /return neither/,
    leaves: BROKEN,
  },
  {
    mistake: 'reads a client, changes it, and writes it back',
    methods: (honest) => ({
      async changeClient(id, change) {
        const found = await honest.findClient(id);
        const changes = found && change(found);
        await tick();
        return honest.changeClient(id, () => changes ?? {});
      },
    }),
    fails: 'loses no change of a client, however many change it at once',
    finding: /of 20 changes at once 19 were lost/,
    remedy: /compare and set/,
    leaves: { 'administered clients': 'best effort' },
  },
  {
    mistake: 'keeps the old secret whatever a rotation says',
    methods: (honest) => ({ rotateClientSecret: (id) => honest.rotateClientSecret(id, {}) }),
    fails: 'takes an old secret away when a rotation says so',
    finding: /an old secret is good, and the rotation left no overlap/,
    remedy: /the moment until which it is good/,
    leaves: BROKEN,
  },
  {
    mistake: 'retires a client without an end of its tokens',
    methods: ({ clients }) => ({
      disableClient: async (id) => Boolean(Object.assign(clients.get(id)!, { retiredAt: new Date() })),
    }),
    fails: RETIRED,
    finding: /an access token is found that the client had before it was retired/,
    remedy: /generation = generation \+ 1/,
    leaves: BROKEN,
  },
  {
    mistake: 'ends what a retired client was given for as long as it is retired',
    methods: (honest) => ({
      disableClient: (id) => honest.disableClient(id),
      enableClient: async (id) => {
        honest.clients.get(id)!.generation -= 1;
        return honest.enableClient(id);
      },
    }),
    fails: RETIRED,
    finding: /before it was restored/,
    remedy: /what has another one is over/,
    leaves: BROKEN,
  },
  {
    mistake: 'says of every client that it was removed',
    methods: (honest) => ({ removeClient: async (id) => (await honest.removeClient(id)) || true }),
    fails: 'forgets a client that is removed, and ends what it was given',
    finding: /`removeClient\(\)` returns true for a client that is gone/,
    remedy: /generation/,
    leaves: BROKEN,
  },
  {
    mistake: 'shows a registration to whoever knows the client',
    methods: ({ clients }) => ({ getRegistration: async (id) => clients.get(id)?.registration }),
    fails: 'shows a registration to whoever has its token, and to nobody else',
    finding: /`getRegistration\(\)` finds a client by its secret/,
    remedy: /compare in constant time/,
    leaves: UNREGISTERED,
  },
  {
    mistake: 'adds the new secret of a registered client to the old one',
    methods: (honest) => ({
      async updateRegistration(registration, credentials) {
        const before = honest.clients.get(registration.client.id)?.secrets ?? [];
        const isKept = await honest.updateRegistration(registration, credentials);
        honest.clients.get(registration.client.id)?.secrets.push(...before);
        return isKept;
      },
    }),
    fails: 'puts what a client says of itself now in place of what it said',
    finding: /the old secret is good still/,
    remedy: /each in a list/,
    leaves: UNREGISTERED,
  },
  {
    mistake: 'refuses a client that has taken its registration back, and leaves it its tokens',
    methods: ({ clients }) => ({
      async revokeRegistration({ client: { id } }) {
        const { token: _, registration: __, ...rest } = clients.get(id)!;
        clients.set(id, { ...rest, retiredAt: new Date() });
      },
    }),
    fails: 'forgets a client that takes its registration back, and ends what it was given',
    finding: /an access token is found that the client had before it was taken back/,
    remedy: /DELETE FROM access_tokens/,
    leaves: UNREGISTERED,
  },
];
