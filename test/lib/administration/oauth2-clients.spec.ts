import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Client,
  type ClientsModel,
  type CreateClientOptions,
  type ManagedClient,
  type NewClient,
  OAuth2Clients,
} from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

const users = { findByCredentials: () => undefined, findById: () => undefined };
const SERVICE = { grants: ['client_credentials'], scopes: ['read'] };

describe('OAuth2Clients', () => {
  let store: MemoryStore;
  let clients: OAuth2Clients;
  beforeEach(() => {
    store = new MemoryStore({ clients: [], users });
    clients = new OAuth2Clients(store);
  });

  it('generates an id and a valid secret for a new client, and never reveals secret or hash later', async () => {
    const { client, secret } = await clients.create({ ...SERVICE, name: 'Web' });
    expect(client).toMatchObject({ ...SERVICE, name: 'Web', secrets: [{}] });
    expect(client.id).toMatch(/^[\da-f-]{36}$/);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await store.getClient(client.id, secret!)).toMatchObject({ name: 'Web' });
    expect(JSON.stringify(await clients.find(client.id))).not.toContain(secret);
    expect(JSON.stringify(await clients.list())).not.toContain('hash');
  });

  it.each(['none', 'private_key_jwt'])('generates no secret for the authentication method %s', async (method) => {
    const redirectUris = ['https://app.example/cb'];
    const created = await clients.create({
      ...SERVICE,
      grants: ['authorization_code'],
      redirectUris,
      tokenEndpointAuthMethod: method,
    });
    expect(created).not.toHaveProperty('secret');
    expect(created.client.secrets).toEqual([]);
  });

  it('stores a secret that the caller chose, with the expiry set by `secretLifetime`, and does not return it', async () => {
    const created = await clients.create({ id: 'web', ...SERVICE, secret: 'chosen' }, { secretLifetime: 60 });
    expect(created).not.toHaveProperty('secret');
    expect(created.client.secrets).toEqual([{ createdAt: expect.any(Date), expiresAt: expect.any(Date) }]);
    expect(await store.getClient('web', 'chosen')).toBeDefined();
  });

  it('rejects invalid client metadata and options with a message that names the property', async () => {
    await clients.create({ id: 'web', ...SERVICE });
    const taken = { name: 'invalid_argument', message: 'Invalid argument: a client with this `id` already exists' };
    await expect(clients.create({ id: 'web', ...SERVICE })).rejects.toMatchObject(taken);
    await expect(clients.create({ ...SERVICE, scopes: ['two words'] })).rejects.toThrow('`scopes` must be a list');
    await expect(clients.create({ ...SERVICE, redirectUris: ['/cb'] })).rejects.toThrow('`redirectUris` must be');
    await expect(clients.create({ ...SERVICE, redirectUris: ['javascript:alert(1)'] })).rejects.toThrow('must be');
    await expect(clients.create({ ...SERVICE, grants: [''] })).rejects.toThrow('`grants` must be a list of');
    await expect(clients.create(SERVICE, { secretLifetime: 0 })).rejects.toThrow('`secretLifetime` must be');
    await expect(clients.change('web', { grants: 'password' as never })).rejects.toThrow('`grants` must be a list');
    await expect(clients.rotateSecret('web', { overlap: -1 })).rejects.toThrow('`overlap` must be 0,');
    await expect(clients.rotateSecret('web', { secret: 'pässword' })).rejects.toThrow('`secret` must be');
  });

  it('emits events for successful changes, and none for a client that does not exist', async () => {
    const reported: object[] = [];
    const events = { emit: (name: string, payload: object) => reported.push({ name, ...payload }) };
    const heard = new OAuth2Clients(store, events);
    for (const id of ['web', 'nobody']) {
      if (id === 'web') await heard.create({ id, ...SERVICE });
      await heard.change(id, { name: 'Shop' });
      await heard.rotateSecret(id);
      await heard.disable(id);
      await heard.enable(id);
      await heard.remove(id);
    }
    await expect(heard.change('web', { grants: 'password' as never })).resolves.toBeUndefined();
    const facts = { at: expect.any(Date), endpoint: 'clients', clientId: 'web' };
    expect(reported).toEqual([
      { name: 'client.registered', ...facts },
      { name: 'client.changed', ...facts, change: 'description' },
      { name: 'client.changed', ...facts, change: 'secret' },
      { name: 'client.disabled', ...facts },
      { name: 'grant.ended', ...facts, reason: 'application' },
      { name: 'client.changed', ...facts, change: 'enabled' },
      { name: 'client.removed', ...facts },
      { name: 'grant.ended', ...facts, reason: 'application' },
    ]);
  });

  it('changes, disables, re-enables and removes clients and rotates secrets; reports unknown clients', async () => {
    const { secret } = await clients.create({ id: 'web', ...SERVICE });
    expect(await clients.change('web', { name: 'Shop' })).toMatchObject({ id: 'web', name: 'Shop' });
    expect(await clients.change('web', ({ scopes }) => ({ scopes: [...scopes!, 'write'], name: null }))).toEqual({
      ...(await clients.find('web')),
      scopes: ['read', 'write'],
    });
    const rotated = await clients.rotateSecret('web', { overlap: 0 });
    expect([await store.getClient('web', secret!), await store.getClient('web', rotated!.secret)]).toMatchObject([
      undefined,
      { id: 'web' },
    ]);
    expect(await clients.disable('web')).toBe(true);
    expect(await store.getClient('web', null)).toBeUndefined();
    expect(await clients.enable('web')).toBe(true);
    expect(await store.getClient('web', null)).toBeDefined();
    expect(await clients.remove('web')).toBe(true);
    expect(await Promise.all([clients.find('web'), clients.change('web', {}), clients.rotateSecret('web')])).toEqual(
      Array(3).fill(undefined),
    );
    expect(await Promise.all([clients.disable('web'), clients.enable('web'), clients.remove('web')])).toEqual(
      Array(3).fill(false),
    );
  });

  it.each<[string, (of: OAuth2Clients) => Promise<unknown>]>([
    ['createClient', (of) => of.create(SERVICE)],
    ['changeClient', (of) => of.change('web', {})],
    ['findClient', (of) => of.find('web')],
    ['listClients', (of) => of.list()],
    ['rotateClientSecret', (of) => of.rotateSecret('web')],
    ['disableClient', (of) => of.disable('web')],
    ['enableClient', (of) => of.enable('web')],
    ['removeClient', (of) => of.remove('web')],
  ])('rejects the call if the model does not implement `%s()`', async (method, call) => {
    const message = `Invalid argument: model does not implement \`${method}()\``;
    await expect(call(new OAuth2Clients({}))).rejects.toMatchObject({ name: 'invalid_argument', message });
  });

  it('rejects calls if the store reads its clients from the application', async () => {
    const hosted = new OAuth2Clients(new MemoryStore({ clients: { findById: () => undefined }, users }));
    await expect(hosted.list()).rejects.toThrow(
      'Invalid argument: this store has the option `clients`, so it cannot save clients',
    );
    await expect(hosted.create(SERVICE)).rejects.toThrow(
      'this store has the option `clients`, so it cannot save clients',
    );
  });
});

/** An application's model that stores clients in its own table. */
class Registry implements Pick<ClientsModel, 'createClient' | 'findClient' | 'changeClient'> {
  readonly table = new Map<string, NewClient>();
  readonly reported: unknown[] = [];

  async createClient(client: NewClient, options?: CreateClientOptions) {
    this.reported.push(options);
    if (this.table.has(client.id)) return false;
    this.table.set(client.id, client);
    return true;
  }

  findClient(clientId: string): ManagedClient | null {
    const { secret, ...client } = this.table.get(clientId) ?? { id: '', grants: [] };
    return client.id ? { ...client, secrets: secret ? [{}] : [] } : null;
  }

  changeClient(clientId: string, change: (client: ManagedClient) => Partial<Record<keyof Client, unknown>>) {
    const found = this.findClient(clientId);
    if (!found) return null;
    this.table.set(clientId, { ...this.table.get(clientId)!, ...(change(found) as Partial<Client>) });
    return this.findClient(clientId);
  }
}

describe('OAuth2Clients with a model that implements only some of the client methods', () => {
  it('validates clients before it calls the model, and uses the methods that the model implements', async () => {
    const registry = new Registry();
    const clients = new OAuth2Clients(registry);
    const { client, secret } = await clients.create({ grants: ['password'] });
    expect(registry.table.get(client.id)).toMatchObject({ secret });
    await clients.create({ id: 'web', grants: ['password'], secret: 'chosen' });
    expect(registry.reported).toEqual([{ isRandom: true }, { isRandom: false }]);
    await expect(clients.create({ id: 'Zoë', grants: [] })).rejects.toThrow('`id` must be 1 to 255');
    expect(registry.table.size).toBe(2);
    expect(await clients.change('web', { accessTokenLifetime: 60 })).toMatchObject({ accessTokenLifetime: 60 });
    await expect(clients.change('web', { accessTokenLifetime: -60 })).rejects.toThrow('`accessTokenLifetime` must be');
    expect(await clients.find('web')).toMatchObject({ accessTokenLifetime: 60 });
    expect(await clients.change('nobody', {})).toBeUndefined();
  });
});
