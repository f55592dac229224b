import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DescribedClient, Registration } from 'nest-oauth2/features';

import { later } from '../support/model.js';
import { ScryptCount } from './scrypt-count.js';
import { findStores, type OpenStore } from './every-store.js';

describe.each(await findStores())('a client that has registered itself, on $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const user = { id: 'alice' };
  const CALLBACK = 'https://app.example/callback';

  function clientOf(id = `dcr_${randomBytes(16).toString('hex')}`): DescribedClient {
    const metadata = {
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      'client_name#ja': 'ノート 🙂',
    };
    const shared = { redirectUris: [CALLBACK], scopes: ['read'], tokenEndpointAuthMethod: 'client_secret_basic' };
    return { id, grants: ['authorization_code'], ...shared, metadata };
  }

  async function register(expiresAt: Date | null = later(600)) {
    const registration: Registration = {
      client: clientOf(),
      issuedAt: new Date(1_700_000_000_000),
      ...(expiresAt && { expiresAt }),
    };
    const credentials = {
      clientSecret: randomBytes(32).toString('hex'),
      registrationAccessToken: randomBytes(32).toString('hex'),
    };
    await opened.store.saveRegistration(registration, credentials);
    return { ...registration, ...credentials, id: registration.client.id };
  }

  const saveCode = (client: DescribedClient, authorizationCode: string) =>
    opened.store.saveAuthorizationCode(
      { authorizationCode, expiresAt: later(60), redirectUri: CALLBACK },
      client,
      user,
    );

  it.each([
    ['may be forgotten', later(600)],
    ['stays', null],
  ])('is found by its secret and by its token, in any process, where it %s', async (_, expiresAt) => {
    const made = await register(expiresAt);
    for (const store of [opened.store, opened.another]) {
      expect(await store.getClient(made.id, null)).toMatchObject(made.client);
      const found = await store.getClient(made.id, made.clientSecret);
      expect(found).toMatchObject(made.client);
      expect(JSON.stringify(found)).not.toMatch(/hash/i);
      expect(await store.getClient(made.id, 'wrong')).toBeUndefined();
      const registration = await store.getRegistration(made.id, made.registrationAccessToken);
      expect(registration).toMatchObject({ client: made.client, issuedAt: made.issuedAt });
      for (const token of ['wrong', '', made.clientSecret])
        expect(await store.getRegistration(made.id, token)).toBeUndefined();
      expect(await store.getRegistration(`${made.id}0`, made.registrationAccessToken)).toBeUndefined();
    }
  });

  it('is forgotten when nothing was given to it', async () => {
    const made = await register(later(-1));
    expect(await opened.store.getClient(made.id, null)).toBeUndefined();
    expect(await opened.store.getRegistration(made.id, made.registrationAccessToken)).toBeUndefined();
  });

  it('stays when something was given to it, by however many at once', async () => {
    const made = await register();
    const client = (await opened.store.getClient(made.id, null)) as DescribedClient;
    await Promise.all(Array.from({ length: 8 }, (_, index) => saveCode(client, `${made.id}${index}`)));
    for (const store of [opened.store, opened.another]) {
      const kept = await store.getClient(made.id, made.clientSecret);
      expect(kept).toMatchObject(made.client);
      expect(kept).not.toHaveProperty('registeredUntil');
      expect(await store.getRegistration(made.id, made.registrationAccessToken)).not.toHaveProperty('expiresAt');
      for (let index = 0; index < 8; index++) {
        expect(await store.getAuthorizationCode(`${made.id}${index}`)).toMatchObject({ client: { id: made.id } });
      }
    }
  });

  it.each([
    ['may be forgotten', later(600)],
    ['stays', null],
  ])('is changed as often as it likes, and given another secret, where it %s', async (_, expiresAt) => {
    const made = await register(expiresAt);
    for (const name of ['One', 'Two', 'Three']) {
      const client = { ...made.client, name, redirectUris: [`${CALLBACK}/${name}`] };
      expect(await opened.another.updateRegistration({ ...made, client }, {})).toBe(true);
      expect(await opened.store.getClient(made.id, made.clientSecret)).toMatchObject(client);
    }
    expect(await opened.store.updateRegistration(made, { clientSecret: 'another-secret' })).toBe(true);
    const changed = await opened.another.getClient(made.id, 'another-secret');
    expect(changed).toMatchObject(made.client);
    expect(changed).not.toHaveProperty('name');
    expect(await opened.store.getClient(made.id, made.clientSecret)).toBeUndefined();
    expect(await opened.store.getRegistration(made.id, made.registrationAccessToken)).toBeDefined();
  });

  it('is as it was changed last, though something is given to it at that very moment', async () => {
    const made = await register();
    const client = (await opened.store.getClient(made.id, null)) as DescribedClient;
    const narrowed = { ...made.client, redirectUris: ['https://app.example/only'] };
    const { storage } = opened.store as unknown as { storage: { keepClient(...given: unknown[]): unknown } };
    const { keepClient } = storage;
    storage.keepClient = async (...given) => {
      storage.keepClient = keepClient;
      expect(await opened.another.updateRegistration({ ...made, client: narrowed }, { clientSecret: 'new' })).toBe(
        true,
      );
      return keepClient.apply(storage, given);
    };
    await saveCode(client, `${made.id} race`);
    for (const store of [opened.store, opened.another]) {
      expect(await store.getClient(made.id, 'new')).toMatchObject({ redirectUris: narrowed.redirectUris });
      expect(await store.getClient(made.id, made.clientSecret)).toBeUndefined();
      expect(await store.getRegistration(made.id, made.registrationAccessToken)).toBeDefined();
    }
  });

  it('is one client though its process ends before it is known that something was given to it', async () => {
    const made = await register();
    const { id } = made;
    const client = (await opened.store.getClient(id, null)) as DescribedClient;
    const { storage } = opened.store as unknown as { storage: { spend(...given: unknown[]): Promise<boolean> } };
    const spend = jest.spyOn(storage, 'spend').mockRejectedValue(new Error('The process ends'));
    await expect(saveCode(client, id)).rejects.toThrow('The process ends');
    spend.mockRestore();
    const changed = { ...made, client: { ...made.client, name: 'Another' } };
    expect(await opened.another.updateRegistration(changed, { clientSecret: 'another-secret' })).toBe(true);
    expect(await opened.store.getClient(id, 'another-secret')).toMatchObject({ name: 'Another' });
    expect(await opened.store.getClient(id, made.clientSecret)).toBeUndefined();
    expect(await opened.store.getRegistration(id, made.registrationAccessToken)).not.toHaveProperty('expiresAt');
    await opened.another.retireClient(id);
    expect(await opened.store.getClient(id, null)).toBeUndefined();
    await opened.another.removeClient(id);
    expect(await opened.store.getClient(id, null)).toBeUndefined();
    expect(await opened.store.getRegistration(id, made.registrationAccessToken)).toBeUndefined();
  });

  it('is found though something is given to it while it is looked for', async () => {
    const made = await register();
    const client = (await opened.another.getClient(made.id, null)) as DescribedClient;
    const { storage } = opened.store as unknown as { storage: { find(...given: unknown[]): unknown } };
    const find = storage.find.bind(storage);
    const finding = jest.spyOn(storage, 'find').mockImplementationOnce(async (...given) => {
      const code = { authorizationCode: made.id, expiresAt: later(60), redirectUri: CALLBACK };
      await opened.another.saveAuthorizationCode(code, client, user);
      return find(...given);
    });
    expect(await opened.store.getClient(made.id, made.clientSecret)).toMatchObject(made.client);
    finding.mockRestore();
  });

  it('is removed by its administrator, though nothing was given to it', async () => {
    const made = await register();
    expect(await opened.another.removeClient(made.id)).toBe(true);
    expect(await opened.store.getClient(made.id, null)).toBeUndefined();
    expect(await opened.store.removeClient(made.id)).toBe(false);
  });

  it('is gone though it is removed at the very moment when something is given to it', async () => {
    const made = await register();
    const client = (await opened.store.getClient(made.id, null)) as DescribedClient;
    const { storage } = opened.store as unknown as { storage: { keepClient(...given: unknown[]): unknown } };
    const { keepClient } = storage;
    storage.keepClient = async (...given) => {
      storage.keepClient = keepClient;
      await opened.another.revokeRegistration(made);
      return keepClient.apply(storage, given);
    };
    await saveCode(client, `${made.id} race`);
    expect(await opened.another.getClient(made.id, null)).toBeUndefined();
    expect(await opened.another.getAuthorizationCode(`${made.id} race`)).toBeUndefined();
  });

  it('changes by its own hand, secret and all, without a slow hash, and keeps what its host says of it', async () => {
    const made = await register(null);
    await opened.store.changeClient(made.id, { consent: 'once' });
    await saveCode(made.client, `${made.id} kept`);
    const changed = { ...made, client: { ...made.client, name: 'Other', redirectUris: ['https://b.example/'] } };
    const slow = new ScryptCount();
    expect(
      await slow.during(async () => {
        expect(await opened.another.updateRegistration(changed, { clientSecret: 'another' })).toBe(true);
      }),
    ).toBe(0);
    slow.stop();
    expect(await opened.store.getClient(made.id, 'another')).toMatchObject({ ...changed.client, consent: 'once' });
    expect(await opened.store.getClient(made.id, made.clientSecret)).toBeUndefined();
    expect(await opened.another.getAuthorizationCode(`${made.id} kept`)).toBeDefined();
  });

  it('manages itself as before when its administrator saves what was found of it', async () => {
    const made = await register(null);
    const { secrets: _, ...found } = (await opened.store.findClient(made.id))!;
    expect(JSON.stringify(found)).not.toMatch(/hash/i);
    await opened.store.saveClient({ ...found, name: 'Notes' });
    await opened.store.changeClient(made.id, { scopes: ['read', 'write'] });
    const { client } = (await opened.another.getRegistration(made.id, made.registrationAccessToken))!;
    expect(client).toMatchObject({ name: 'Notes', scopes: ['read', 'write'] });
    expect(await opened.another.getClient(made.id, made.clientSecret)).toBeDefined();
  });

  it('is agreed to again when it is called or answered otherwise, and its grants live on', async () => {
    const made = await register(null);
    await opened.store.changeClient(made.id, { consent: 'once' });
    const asked = async () => ({
      client: (await opened.another.getClient(made.id, null))!,
      redirectUri: CALLBACK,
      scope: 'read',
    });
    const hasConsented = async () => opened.another.hasConsented(user, await asked());
    await opened.store.saveConsent(user, await asked());
    await saveCode(made.client, `${made.id} lives on`);
    const { metadata } = made.client;
    const others = [
      { name: 'Bank' },
      { redirectUris: [CALLBACK, 'https://thief.example/'] },
      { metadata: { ...metadata, 'client_name#ja': '銀行' } },
      { metadata: { ...metadata, logo_uri: 'https://bank.example/logo.png' } },
      { tokenEndpointAuthMethod: 'none' },
    ];
    for (const other of others) {
      expect(await hasConsented()).toBe(true);
      await opened.store.updateRegistration({ ...made, client: { ...made.client, ...other } }, {});
      expect(await hasConsented()).toBe(false);
      await opened.store.updateRegistration({ ...made, client: { ...made.client, scopes: ['read', 'more'] } }, {});
    }
    expect(await hasConsented()).toBe(true);
    expect(await opened.store.getAuthorizationCode(`${made.id} lives on`)).toBeDefined();
    expect(await opened.store.revokeGrantsOf({ userId: user.id, clientId: made.id })).toBe(2);
    expect(await hasConsented()).toBe(false);
  });

  it('is gone with all that was given to it, once it is removed', async () => {
    const [unused, used] = [await register(), await register()];
    const client = (await opened.store.getClient(used.id, null)) as DescribedClient;
    await saveCode(client, `${used.id} code`);
    for (const made of [unused, used]) {
      await opened.another.revokeRegistration(made);
      expect(await opened.store.getClient(made.id, null)).toBeUndefined();
      expect(await opened.store.getRegistration(made.id, made.registrationAccessToken)).toBeUndefined();
      expect(await opened.store.updateRegistration(made, {})).toBe(false);
    }
    expect(await opened.store.getAuthorizationCode(`${used.id} code`)).toBeUndefined();
  });
});

describe.each(await findStores())('a client that a document describes, on $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  it('is agreed to again when its document says another name or other addresses', async () => {
    const client = {
      id: 'https://client.example/other.json',
      clientIdHost: 'client.example',
      name: 'Notes',
      grants: ['authorization_code'],
      redirectUris: ['https://client.example/a', 'https://client.example/b'],
      scopes: ['read'],
      tokenEndpointAuthMethod: 'none',
      metadata: { token_endpoint_auth_method: 'none', grant_types: ['authorization_code'], response_types: ['code'] },
    };
    const user = { id: 'agreeing' };
    const ask = (changed: object) => ({
      client: { ...client, ...changed },
      redirectUri: 'https://client.example/a',
      scope: 'read',
    });
    await opened.store.saveConsent(user, ask({}));
    const has = (changed: object) => opened.another.hasConsented(user, ask(changed));
    expect(await has({ redirectUris: client.redirectUris.toReversed() })).toBe(true);
    for (const other of [{ name: 'Bank' }, { redirectUris: ['https://client.example/a', 'https://thief.example/'] }])
      expect(await has(other)).toBe(false);
  });

  it('is kept with what is issued to it, and is among no clients', async () => {
    const user = { id: 'alice' };
    const id = 'https://client.example/id.json';
    const metadata = {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
    };
    const client = {
      id,
      clientIdHost: 'client.example',
      name: 'Notes',
      grants: ['authorization_code', 'refresh_token'],
      redirectUris: ['https://client.example/a'],
      scopes: ['read'],
      tokenEndpointAuthMethod: 'none',
      metadata,
    };
    const { store, another } = opened;
    const code = { authorizationCode: 'documented code', expiresAt: later(60), grantId: 'documented', scope: 'read' };
    await store.saveAuthorizationCode(code, client, user);
    const found = (await another.getAuthorizationCode('documented code'))!;
    expect(found).toMatchObject({ client, scope: 'read' });
    const token = {
      accessToken: 'documented access',
      accessTokenExpiresAt: later(60),
      grantId: 'documented',
      scope: 'read',
    };
    await store.redeem(
      found,
      { ...token, refreshToken: 'documented refresh', refreshTokenExpiresAt: later(60) },
      client,
      user,
    );
    expect(await another.getAccessToken('documented access')).toMatchObject({ client, user });
    expect(await another.getAccessToken('documented access')).not.toHaveProperty('describedClient');
    expect(await another.getRefreshToken('documented refresh')).toMatchObject({ client });
    expect(await another.getAuthorizationCode('documented code')).toMatchObject({
      client,
      revokedAt: expect.any(Date),
    });
    expect(await another.listApplications('alice')).toMatchObject([{ clientId: id, client: { name: 'Notes' } }]);
    expect(await store.getClient(id, null)).toBeUndefined();
    expect(await store.mayUseClientIdDocument(id)).toBe(true);
    const asked = { client, redirectUri: 'https://client.example/a', scope: 'read' };
    await store.saveConsent(user, asked);
    expect(await another.hasConsented(user, asked)).toBe(true);
    await store.revokeGrantsOf({ userId: 'alice', clientId: id });
    expect(await another.getAccessToken('documented access')).toBeUndefined();
    expect(await another.hasConsented(user, asked)).toBe(false);
  });
});
