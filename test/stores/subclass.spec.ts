import { randomBytes } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MetadataClient } from 'nest-oauth2/features';
import type { Client, User } from 'nest-oauth2/server';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';

import { later } from '../support/models/model.js';

const ALICE = { id: 'alice' };
const WEB: StoredClient = { id: 'web', grants: ['authorization_code', 'client_credentials'], scopes: ['read'] };
const ISSUER = 'https://as.example';
/** The property that the application saves with each authorization code. */
const ADDED = { note: 'added' };
const requested = {
  client: { ...WEB, consent: 'once' as const },
  redirectUri: 'https://app.example/cb',
  scope: 'read',
};

const newlyRegistered = (): MetadataClient => ({
  id: `dcr_${randomBytes(16).toString('hex')}`,
  grants: ['authorization_code'],
  redirectUris: [requested.redirectUri],
  scopes: ['read'],
  tokenEndpointAuthMethod: 'client_secret_basic',
  metadata: {
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['authorization_code'],
    response_types: ['code'],
  },
});

/** A store of an application that overrides each method and records the calls. */
class Model extends MemoryStore {
  readonly calls: string[] = [];
  /** A field initializer runs after the constructor of the store. */
  readonly initialised = [typeof this.storage.find, typeof this.users.findById];
  override readonly getClientSecrets = async ({ id }: Client) => [`secret of ${id}`];

  constructor() {
    super({
      clients: [WEB],
      encryptSecretsWith: 'a text that seals secrets in this test',
      users: { findById: (id) => id === ALICE.id && ALICE, findByCredentials: () => undefined },
    });
  }

  override async getUser(username: string): Promise<User> {
    return { id: username };
  }

  override async getUserFromClient({ id }: StoredClient): Promise<User> {
    this.calls.push('getUserFromClient');
    return { id: `robot ${id}` };
  }

  override async getClient(id: string, secret: string | null) {
    this.calls.push('getClient');
    const client = await super.getClient(id, secret);
    return client && { ...client, name: 'overridden' };
  }

  override async saveAuthorizationCode(...given: Parameters<MemoryStore['saveAuthorizationCode']>) {
    const [code, client, user] = given;
    return super.saveAuthorizationCode({ ...code, ...ADDED }, client, user);
  }

  override async once(value: string, seconds: number) {
    this.calls.push('once');
    return super.once(value, seconds);
  }

  override async hasConsented(...given: Parameters<MemoryStore['hasConsented']>) {
    this.calls.push('hasConsented');
    return super.hasConsented(...given);
  }

  override async revokeGrantsOf(filter: Parameters<MemoryStore['revokeGrantsOf']>[0]) {
    this.calls.push('revokeGrantsOf');
    return super.revokeGrantsOf(filter);
  }

  override async listSessions(selection: Parameters<MemoryStore['listSessions']>[0]) {
    this.calls.push('listSessions');
    return super.listSessions(selection);
  }

  override async endSession(session: Parameters<MemoryStore['endSession']>[0]) {
    this.calls.push('endSession');
    return super.endSession(session);
  }

  override async createClient(client: StoredClient) {
    this.calls.push('createClient');
    return super.createClient(client);
  }

  override async removeClient(id: string) {
    this.calls.push('removeClient');
    return super.removeClient(id);
  }

  protected override async clientOf(row: Parameters<MemoryStore['clientOf']>[0]) {
    this.calls.push('clientOf');
    const client = await super.clientOf(row);
    return client && { ...client, name: 'from clientOf' };
  }
}

describe('a subclass of a store', () => {
  let model: Model;
  beforeEach(() => {
    model = new Model();
  });

  const token = { accessToken: 'access', accessTokenExpiresAt: later(), scope: 'read' };

  it('can read `storage` and `users` in field initializers, and override `getClientSecrets`', async () => {
    expect(model.initialised).toEqual(['function', 'function']);
    expect(await model.getClientSecrets(WEB)).toEqual(['secret of web']);
  });

  it('can override how users and clients are found', async () => {
    expect(await model.getUser('bob')).toEqual({ id: 'bob' });
    expect(await model.getClient('web', null)).toMatchObject({ id: 'web', name: 'overridden' });
    await model.saveToken(token, WEB, await MemoryStore.prototype.getUserFromClient(WEB));
    const found = await model.getAccessToken('access');
    expect(found).toMatchObject({ user: { id: 'robot web' }, client: { name: 'from clientOf' } });
    expect(model.calls).toEqual(['getClient', 'clientOf', 'getUserFromClient']);
  });

  it('can override how the client of codes, refresh tokens and device codes is read', async () => {
    const code = { authorizationCode: 'code', expiresAt: later(), redirectUri: requested.redirectUri, scope: 'read' };
    expect(await model.saveAuthorizationCode(code, WEB, ALICE)).toMatchObject({ note: 'added', client: WEB });
    const found = { client: { name: 'from clientOf' } };
    expect(await model.getAuthorizationCode('code')).toMatchObject({ ...found, note: 'added' });
    await model.saveToken({ ...token, refreshToken: 'refresh' }, WEB, ALICE);
    expect(await model.getRefreshToken('refresh')).toMatchObject(found);
    const device = { deviceCode: 'device', userCode: 'USER', expiresAt: later(), interval: 5 };
    await model.saveDeviceAuthorization(device, WEB);
    expect(await model.getDeviceAuthorization('device')).toMatchObject(found);
    expect(model.calls).toEqual(['clientOf', 'clientOf', 'clientOf']);
  });

  it('has its own `hasConsented` called before a consent is saved', async () => {
    await model.saveConsent(ALICE, requested);
    expect(model.calls).toEqual(['hasConsented']);
  });

  it('claims a notification with its own `once`', async () => {
    expect(await model.claimNotification('one', 60)).toBe(true);
    expect(model.calls).toEqual(['once']);
  });

  it('ends sessions with its own `listSessions` and `endSession`', async () => {
    const times = { authTime: new Date(), expiresAt: later() };
    await model.saveSession({ sessionId: 'cookie', user: ALICE, issuer: ISSUER, ...times });
    expect(await model.endSessions({ userId: ALICE.id })).toBe(1);
    expect(model.calls).toEqual(['listSessions', 'endSession']);
  });

  it('revokes the grants of a removed client with its own `revokeGrantsOf`', async () => {
    await model.removeClient('web');
    expect(model.calls).toEqual(['removeClient', 'revokeGrantsOf']);
  });

  it('creates and removes registered clients with its own methods', async () => {
    const registration = { client: newlyRegistered(), issuedAt: new Date() };
    await model.saveRegistration(registration, { registrationAccessToken: 'manages' });
    await model.revokeRegistration(registration);
    expect(model.calls).toEqual(['createClient', 'removeClient', 'revokeGrantsOf']);
  });

  it('makes an unused registered client permanent before its first grant is written', async () => {
    const registration = { client: newlyRegistered(), issuedAt: new Date(), expiresAt: later() };
    await model.saveRegistration(registration, { registrationAccessToken: 'manages' });
    const waiting = (await model.getClient(registration.client.id, null))!;
    const steps: string[] = [];
    const storage = model['storage'];
    for (const step of ['addNewClient', 'save'] as const) {
      const original = storage[step].bind(storage) as (...given: unknown[]) => never;
      storage[step] = (...given: unknown[]) => (steps.push(step), original(...given));
    }
    await model.saveToken(token, waiting, ALICE);
    expect(steps).toEqual(['addNewClient', 'save']);
  });
});
