import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { MetadataClient, Registration } from 'nest-oauth2/features';

import { later } from '../../support/models/model.js';
import { ScryptCount } from '../scrypt-count.js';
import { findStores, type OpenStore } from '../every-store.js';

describe.each(await findStores())('a self-registered client with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const user = { id: 'alice' };
  const CALLBACK = 'https://app.example/callback';

  function clientOf(id = `dcr_${randomBytes(16).toString('hex')}`): MetadataClient {
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

  const saveCode = (client: MetadataClient, authorizationCode: string) =>
    opened.store.saveAuthorizationCode(
      { authorizationCode, expiresAt: later(60), redirectUri: CALLBACK },
      client,
      user,
    );

  it.each([
    ['expires if it is never used', later(600)],
    ['never expires', null],
  ])(
    'a self-registered client is found by its secret and its registration access token in every process, if it %s',
    async (_, expiresAt) => {
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
    },
  );

  it('an unused self-registered client is deleted after its expiry', async () => {
    const made = await register(later(-1));
    expect(await opened.store.getClient(made.id, null)).toBeUndefined();
    expect(await opened.store.getRegistration(made.id, made.registrationAccessToken)).toBeUndefined();
  });

  it('a self-registered client remains stored once it was used, even by several concurrent requests', async () => {
    const made = await register();
    const client = (await opened.store.getClient(made.id, null)) as MetadataClient;
    await Promise.all(Array.from({ length: 8 }, (_, index) => saveCode(client, `${made.id}${index}`)));
    for (const store of [opened.store, opened.another]) {
      const kept = await store.getClient(made.id, made.clientSecret);
      expect(kept).toMatchObject(made.client);
      expect(kept).not.toHaveProperty('expiresIfUnusedAt');
      expect(await store.getRegistration(made.id, made.registrationAccessToken)).not.toHaveProperty('expiresAt');
      for (let index = 0; index < 8; index++) {
        expect(await store.getAuthorizationCode(`${made.id}${index}`)).toMatchObject({ client: { id: made.id } });
      }
    }
  });

  it.each([
    ['expires if it is never used', later(600)],
    ['never expires', null],
  ])('a self-registered client can be changed repeatedly and gets a new secret, if it %s', async (_, expiresAt) => {
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

  it('a self-registered client keeps its last change, even if it is first used at the same time', async () => {
    const made = await register();
    const client = (await opened.store.getClient(made.id, null)) as MetadataClient;
    const narrowed = { ...made.client, redirectUris: ['https://app.example/only'] };
    const { storage } = opened.store as unknown as { storage: { consume(...given: unknown[]): unknown } };
    const { consume } = storage;
    storage.consume = async (...given) => {
      storage.consume = consume;
      expect(await opened.another.updateRegistration({ ...made, client: narrowed }, { clientSecret: 'new' })).toBe(
        true,
      );
      return consume.apply(storage, given);
    };
    await saveCode(client, `${made.id} race`);
    for (const store of [opened.store, opened.another]) {
      expect(await store.getClient(made.id, 'new')).toMatchObject({ redirectUris: narrowed.redirectUris });
      expect(await store.getClient(made.id, made.clientSecret)).toBeUndefined();
      expect(await store.getRegistration(made.id, made.registrationAccessToken)).toBeDefined();
    }
  });

  /** The steps of the storage when a store issues the first code to a client. */
  const STEPS = ['find', 'consume', 'readClock', 'addNewClient', 'save'] as const;
  type Step = (...given: unknown[]) => unknown;

  /**
   * Runs `intrude` before and after the step with this number. Then the operation continues, or stops if `intrude`
   * throws.
   */
  async function intrudeAt(
    turn: number,
    intrude: (when: 'before' | 'after') => Promise<void>,
    operation: () => Promise<unknown>,
  ) {
    const { storage } = opened.store as unknown as { storage: Record<string, Step> };
    let count = 0;
    for (const name of STEPS) {
      const step = storage[name]!;
      storage[name] = async (...given) => {
        const isIt = count++ === turn;
        if (isIt) await intrude('before');
        const result = await step.apply(storage, given);
        if (isIt) await intrude('after');
        return result;
      };
    }
    try {
      await operation();
    } finally {
      for (const name of STEPS) delete storage[name];
    }
    return turn < count;
  }

  const TURNS = [0, 1, 2, 3, 4, 5];
  const named = (client: MetadataClient, name: string) => ({ ...client, name, redirectUris: [`${CALLBACK}/${name}`] });
  const killed = new Error('The process was killed');

  async function expectState(made: Awaited<ReturnType<typeof register>>, name: string, secret: string) {
    for (const store of [opened.store, opened.another]) {
      expect(await store.getClient(made.id, secret)).toMatchObject({ name, redirectUris: [`${CALLBACK}/${name}`] });
      expect(await store.getRegistration(made.id, made.registrationAccessToken)).toMatchObject({ client: { name } });
      for (const old of [made.clientSecret, 'secret of before', 'secret of after'].filter((one) => one !== secret))
        expect(await store.getClient(made.id, old)).toBeUndefined();
    }
  }

  it.each(TURNS)(
    'of two updates around step %i of the first use of a self-registered client, the second one is kept',
    async (turn) => {
      const made = await register();
      const client = (await opened.store.getClient(made.id, null)) as MetadataClient;
      const update = async (when: 'before' | 'after') => {
        const changed = { ...made, client: named(made.client, when) };
        expect(await opened.another.updateRegistration(changed, { clientSecret: `secret of ${when}` })).toBe(true);
      };
      const isReached = await intrudeAt(turn, update, () => saveCode(client, `${made.id} updated`));
      if (isReached) await expectState(made, 'after', 'secret of after');
      expect(await opened.another.getAuthorizationCode(`${made.id} updated`)).toBeDefined();
    },
  );

  it.each(TURNS)(
    'an update of a self-registered client before step %i of its first use is kept if the process is killed there',
    async (turn) => {
      const made = await register();
      const client = (await opened.store.getClient(made.id, null)) as MetadataClient;
      const update = async (when: 'before' | 'after') => {
        if (when === 'after') throw killed;
        const changed = { ...made, client: named(made.client, when) };
        expect(await opened.another.updateRegistration(changed, { clientSecret: `secret of ${when}` })).toBe(true);
      };
      const ended = await intrudeAt(turn, update, () => saveCode(client, `${made.id} killed`)).catch((error) => error);
      if (ended === false) return;
      expect(ended).toBe(killed);
      await expectState(made, 'before', 'secret of before');
      const changed = { ...made, client: named(made.client, 'after') };
      expect(await opened.store.updateRegistration(changed, { clientSecret: 'secret of after' })).toBe(true);
      await expectState(made, 'after', 'secret of after');
      expect(await opened.store.disableClient(made.id)).toBe(true);
      expect(await opened.another.getClient(made.id, null)).toBeUndefined();
      expect(await opened.store.removeClient(made.id)).toBe(true);
      expect(await opened.another.getRegistration(made.id, made.registrationAccessToken)).toBeUndefined();
    },
  );

  it.each(TURNS)(
    'a self-registered client stays removed if it was removed before step %i of its first use, even after a kill',
    async (turn) => {
      for (const isKilled of [false, true]) {
        const made = await register();
        const client = (await opened.store.getClient(made.id, null)) as MetadataClient;
        const remove = async (when: 'before' | 'after') => {
          if (when === 'before') await opened.another.revokeRegistration(made);
          else if (isKilled) throw killed;
        };
        const ended = await intrudeAt(turn, remove, () => saveCode(client, `${made.id} removed`)).catch(
          (error) => error,
        );
        if (ended === false) return;
        for (const store of [opened.store, opened.another]) {
          expect(await store.getClient(made.id, null)).toBeUndefined();
          expect(await store.findClient(made.id)).toBeUndefined();
          expect(await store.getRegistration(made.id, made.registrationAccessToken)).toBeUndefined();
          expect(await store.updateRegistration(made, {})).toBe(false);
          expect(await store.getAuthorizationCode(`${made.id} removed`)).toBeUndefined();
        }
      }
    },
  );

  it('a self-registered client becomes permanent with its first use, even if all its grants were revoked before', async () => {
    const made = await register();
    await opened.another.revokeGrantsOf({ clientId: made.id });
    await saveCode((await opened.store.getClient(made.id, null)) as MetadataClient, `${made.id} first`);
    expect(await opened.another.getAuthorizationCode(`${made.id} first`)).toBeDefined();
    expect(await opened.another.findClient(made.id)).toBeDefined();
  });

  it('concurrent changes and uses of a self-registered client in several processes are all kept', async () => {
    const made = await register();
    const client = (await opened.store.getClient(made.id, null)) as MetadataClient;
    let last = '';
    const update = async () => {
      for (let index = 0; index < 10; index++) {
        const changed = { ...made, client: named(made.client, `update${index}`) };
        expect(await opened.another.updateRegistration(changed, {})).toBe(true);
        last = `update${index}`;
      }
    };
    const uses = Array.from({ length: 6 }, async (_, index) => saveCode(client, `${made.id} use ${index}`));
    await Promise.all([update(), ...uses]);
    await expectState(made, last, made.clientSecret);
    for (const [index] of uses.entries())
      expect(await opened.another.getAuthorizationCode(`${made.id} use ${index}`)).toBeDefined();
  });

  it('a self-registered client is found even if it is first used during the lookup', async () => {
    const made = await register();
    const client = (await opened.another.getClient(made.id, null)) as MetadataClient;
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

  it('an administrator can remove a self-registered client that was never used', async () => {
    const made = await register();
    expect(await opened.another.removeClient(made.id)).toBe(true);
    expect(await opened.store.getClient(made.id, null)).toBeUndefined();
    expect(await opened.store.removeClient(made.id)).toBe(false);
  });

  it('a self-registered client is removed even if it is first used at the same time', async () => {
    const made = await register();
    const client = (await opened.store.getClient(made.id, null)) as MetadataClient;
    const { storage } = opened.store as unknown as { storage: { addNewClient(...given: unknown[]): unknown } };
    const { addNewClient } = storage;
    storage.addNewClient = async (...given) => {
      storage.addNewClient = addNewClient;
      await opened.another.revokeRegistration(made);
      return addNewClient.apply(storage, given);
    };
    await saveCode(client, `${made.id} race`);
    expect(await opened.another.getClient(made.id, null)).toBeUndefined();
    expect(await opened.another.getAuthorizationCode(`${made.id} race`)).toBeUndefined();
  });

  it('a self-registered client that updates itself gets a new secret without scrypt, and keeps the application’s settings', async () => {
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

  it('a self-registered client keeps the administrator’s restrictions when it updates itself', async () => {
    const made = await register(null);
    const restrictions = {
      applicationType: 'web',
      dpopBoundAccessTokens: true,
      requirePushedAuthorizationRequests: true,
      tlsClientCertificateBoundAccessTokens: true,
      subjectType: 'pairwise',
    } as const;
    await opened.store.changeClient(made.id, restrictions);
    const metadata = { ...made.client.metadata, dpop_bound_access_tokens: false, application_type: 'native' } as const;
    await opened.another.updateRegistration({ ...made, client: { ...made.client, metadata } }, {});
    expect(await opened.store.getClient(made.id, null)).toMatchObject({ ...restrictions, metadata });
  });

  it('a self-registered client can still manage itself after the administrator saved it', async () => {
    const made = await register(null);
    const { secrets: _, ...found } = (await opened.store.findClient(made.id))!;
    expect(JSON.stringify(found)).not.toMatch(/hash/i);
    await opened.store.saveClient({ ...found, name: 'Notes' });
    await opened.store.changeClient(made.id, { scopes: ['read', 'write'] });
    const { client } = (await opened.another.getRegistration(made.id, made.registrationAccessToken))!;
    expect(client).toMatchObject({ name: 'Notes', scopes: ['read', 'write'] });
    expect(await opened.another.getClient(made.id, made.clientSecret)).toBeDefined();
  });

  it('a self-registered client keeps its grants, but requires consent again if its name, logo, redirect URIs or authentication method change', async () => {
    const made = await register(null);
    await opened.store.changeClient(made.id, { consent: 'once' });
    const requested = async () => ({
      client: (await opened.another.getClient(made.id, null))!,
      redirectUri: CALLBACK,
      scope: 'read',
    });
    const hasConsented = async () => opened.another.hasConsented(user, await requested());
    await opened.store.saveConsent(user, await requested());
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

  it('a self-registered client is removed with all of its grants', async () => {
    const [unused, used] = [await register(), await register()];
    const client = (await opened.store.getClient(used.id, null)) as MetadataClient;
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

describe.each(await findStores())('a client from a metadata document, with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  it('a client from a metadata document requires consent again if the document changes the name or redirect URIs', async () => {
    const client = {
      id: 'https://client.example/other.json',
      clientIdHost: 'client.example',
      name: 'Notes',
      grants: ['authorization_code'],
      redirectUris: ['https://client.example/a', 'https://client.example/b'],
      scopes: ['read'],
      tokenEndpointAuthMethod: 'private_key_jwt',
      metadata: {
        token_endpoint_auth_method: 'private_key_jwt',
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
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

  it('a client from a metadata document is stored inside each of its grants, and is not found by getClient()', async () => {
    const user = { id: 'alice' };
    const id = 'https://client.example/id.json';
    const metadata = {
      token_endpoint_auth_method: 'private_key_jwt',
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
      tokenEndpointAuthMethod: 'private_key_jwt',
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
    const requested = { client, redirectUri: 'https://client.example/a', scope: 'read' };
    await store.saveConsent(user, requested);
    expect(await another.hasConsented(user, requested)).toBe(true);
    await store.revokeGrantsOf({ userId: 'alice', clientId: id });
    expect(await another.getAccessToken('documented access')).toBeUndefined();
    expect(await another.hasConsented(user, requested)).toBe(false);
  });
});
