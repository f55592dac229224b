import { setImmediate as tick } from 'node:timers/promises';

import type { BrokenModel } from './broken-model.js';

const BROKEN = { 'administered clients': 'broken', 'client authentication': 'kept' } as const;
const UNREGISTERED = { 'registered clients': 'broken' } as const;
const RETIRED = 'rejects a disabled client until it is enabled, and revokes its grants';

/** Mistakes with clients that are created and changed while the server runs. */
export const BROKEN_TEMPORARY_CLIENTS: readonly BrokenModel[] = [
  {
    mistake: 'reads whether a client exists, and creates it in a second step',
    methods: ({ clients, createClient }) => ({
      async createClient(client) {
        if (clients.has(client.id)) return false;
        const made: typeof clients = new Map();
        await createClient.call({ clients: made } as never, client);
        clients.set(client.id, made.get(client.id)!);
        return true;
      },
    }),
    fails: 'creates a client for exactly one of many concurrent callers',
    finding: /`createClient\(\)` returned true to (?!1 of)\d+ of 20 concurrent callers/,
    remedy: /ON CONFLICT \(id\) DO NOTHING/,
    leaves: { 'administered clients': 'best effort' },
  },
  {
    mistake: 'returns the secrets of clients to the administrator',
    methods: ({ clients }) => ({ findClient: async (id) => clients.get(id) as never }),
    fails: 'authenticates a client by its secret, and returns the secret from no method',
    finding: /`findClient\(\)` returns the secret in plain text/,
    remedy: /never return a secret or its hash/,
    leaves: BROKEN,
  },
  {
    mistake: 'reads a client, and writes the changed client back in a second step',
    methods: (honest) => ({
      async changeClient(id, change) {
        const found = await honest.findClient(id);
        const changes = found && change(found);
        await tick();
        return honest.changeClient(id, () => changes ?? {});
      },
    }),
    fails: 'loses no change when many callers change one client concurrently',
    finding: /19 of 20 concurrent changes were lost/,
    remedy: /Compare and set/,
    leaves: { 'administered clients': 'best effort' },
  },
  {
    mistake: 'keeps the old secret even if the rotation excludes it',
    methods: (honest) => ({ rotateClientSecret: (id) => honest.rotateClientSecret(id, {}) }),
    fails: 'accepts the old secret of a client during the overlap of a rotation, and rejects it without an overlap',
    finding: /`getClient\(\)` accepts an old secret after a rotation with `overlap: 0`/,
    remedy: /each with its expiry/,
    leaves: BROKEN,
  },
  {
    mistake: 'disables a client without revoking its tokens',
    methods: ({ clients }) => ({
      disableClient: async (id) => Boolean(Object.assign(clients.get(id)!, { disabledAt: new Date() })),
    }),
    fails: RETIRED,
    finding:
      /`getAccessToken\(\)` finds an access token that was issued to the client before it was disabled\. It must return nothing/,
    remedy: /generation = generation \+ 1/,
    leaves: BROKEN,
  },
  {
    mistake: 'makes the tokens of a disabled client valid again when it is enabled',
    methods: (honest) => ({
      disableClient: (id) => honest.disableClient(id),
      enableClient: async (id) => {
        honest.clients.get(id)!.generation -= 1;
        return honest.enableClient(id);
      },
    }),
    fails: RETIRED,
    finding:
      /`getAccessToken\(\)` finds an access token that was issued to the client before it was enabled again\. It must return nothing/,
    remedy: /valid only if both numbers are equal/,
    leaves: BROKEN,
  },
  {
    mistake: 'reports every client as removed',
    methods: (honest) => ({ removeClient: async (id) => (await honest.removeClient(id)) || true }),
    fails: 'removes a client and revokes its grants',
    finding: /`removeClient\(\)` returns true for a client that was already removed/,
    remedy: /generation/,
    leaves: BROKEN,
  },
  {
    mistake: 'returns a registration without its registration access token',
    methods: ({ clients }) => ({ getRegistration: async (id) => clients.get(id)?.registration }),
    fails: 'returns a registered client only for its own registration access token',
    finding: /`getRegistration\(\)` accepts the client secret as the registration access token/,
    remedy: /Compare in constant time/,
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
    fails: 'replaces the metadata of a registered client',
    finding: /`getClient\(\)` still accepts the old secret after `updateRegistration\(\)`/,
    remedy: /each with its expiry/,
    leaves: UNREGISTERED,
  },
  {
    mistake: 'rejects a client that deleted its registration, but keeps its tokens valid',
    methods: ({ clients }) => ({
      async revokeRegistration({ client: { id } }) {
        const { token: _, registration: __, ...rest } = clients.get(id)!;
        clients.set(id, { ...rest, disabledAt: new Date() });
      },
    }),
    fails: 'removes a client that deletes its registration, and revokes its grants',
    finding:
      /`getAccessToken\(\)` finds an access token that was issued to the client before it was deleted\. It must return nothing/,
    remedy: /DELETE FROM access_tokens/,
    leaves: UNREGISTERED,
  },
];
