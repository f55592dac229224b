import { expectTypeOf } from 'expect-type';
import { type Client, OAuth2Clients } from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';

// The clients of the built-in stores need no type argument. An own model has its own type of clients.

const users = { findByCredentials: () => null, findById: () => null };
const clients = new OAuth2Clients(new MemoryStore({ clients: [], users }));

export async function administer() {
  const { client } = await clients.create({ name: 'Acme', grants: ['client_credentials'], scopes: ['orders:read'] });
  await clients.change(client.id, { name: null, scopes: ['orders:read', 'orders:write'] });
  await clients.change(client.id, ({ scopes = [] }) => ({ scopes: [...scopes, 'orders:write'] }));
  await clients.create({ tokenEndpointAuthMethod: 'private_key_jwt', grants: [], jwks: { keys: [{ kty: 'EC' }] } });
  expectTypeOf(client.name).toEqualTypeOf<string | undefined>();

  // @ts-expect-error misspelt
  await clients.create({ name: 'Acme', grants: [], scope: ['orders:read'] });
}

export async function administerMine(mine: OAuth2Clients<Client & { tenantId: number }>) {
  const { client } = await mine.create({ grants: [], tenantId: 1 });
  expectTypeOf(client.tenantId).toEqualTypeOf<number>();
}
