import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from 'nest-oauth2/server';
import type { StoredClient } from 'nest-oauth2/stores/memory';

import { later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';

const SPA: StoredClient = { ...WEB, id: 'spa', tokenEndpointAuthMethod: 'none' };
const LOOPBACK = 'http://127.0.0.1:4711/callback';
const HTTPS = 'https://app.example/callback';

describe.each(await findStores())('consents and sessions with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const newUser = (): User & { id: string } => ({ id: randomUUID() });
  const ask = (scope?: string, client: StoredClient = WEB, redirectUri = LOOPBACK) => ({ client, redirectUri, scope });
  const agree = async (user: User, requested = ask('read')) => {
    expect(await opened.store.hasConsented(user, requested)).toBe(false);
    await opened.store.saveConsent(user, requested);
    return requested;
  };

  it('a consent is remembered in every process, for the same or a smaller scope of this user and client', async () => {
    const user = newUser();
    await agree(user, ask('read write'));
    const { another } = opened;
    for (const scope of ['read write', 'write', undefined]) {
      expect(await another.hasConsented(user, ask(scope))).toBe(true);
    }
    expect(await another.hasConsented(user, ask('read admin'))).toBe(false);
    expect(await another.hasConsented(newUser(), ask('read'))).toBe(false);
    expect(await another.hasConsented(user, ask('read', { ...WEB, id: 'other' }))).toBe(false);
    expect(await another.hasConsented(user, { ...ask('read'), issuer: 'https://other.example' })).toBe(false);
  });

  it('a consent is stored for the grantable scope of the authorization request if it differs from the requested scope', async () => {
    const user = newUser();
    const { scope: _, ...request } = ask();
    const requested = (requestedScope: string, grantableScope?: string) => ({
      ...request,
      requestedScope,
      grantableScope,
    });
    await opened.store.saveConsent(user, requested('read admin', 'read'));
    for (const known of [requested('read'), requested('read admin', 'read'), ask('read')]) {
      expect(await opened.another.hasConsented(user, known)).toBe(true);
    }
    for (const wider of [requested('read admin'), requested('read admin', 'read admin'), ask('read admin')]) {
      expect(await opened.another.hasConsented(user, wider)).toBe(false);
    }
  });

  it('a consent to a part of the scope is remembered in every process, until the user decides otherwise', async () => {
    const user = newUser();
    const refuse = async (scope: string, refusedScope: string, more: object = {}) =>
      opened.store.saveConsent(user, { ...ask(scope), refusedScope, ...more });
    const has = (scope: string, more: object = {}) => opened.another.hasConsented(user, { ...ask(scope), ...more });
    await agree(user, ask('read write'));
    await refuse('read', 'write admin');
    expect(await has('read write')).toEqual({ scope: 'read' });
    expect(await has('write admin read')).toEqual({ scope: 'read' });
    expect(await has('read')).toBe(true);
    // Nothing would remain, or a value was not decided yet.
    for (const undecided of ['write', 'read other', 'read write other']) expect(await has(undecided)).toBe(false);
    expect(await opened.another.listApplications(user.id)).toMatchObject([{ scope: 'read', consentRemembered: true }]);
    await opened.store.saveConsent(user, ask('read write'));
    expect([await has('read write'), await has('read write admin')]).toEqual([true, { scope: 'read write' }]);
    await refuse('write', 'read');
    expect([await has('read write'), await has('write')]).toEqual([{ scope: 'write' }, true]);
    // Resources and issuers are decided separately.
    const resource = { data: { resource: ['https://api.example/notes'] } };
    expect([await has('write', resource), await has('write', { issuer: 'https://other.example' })]).toEqual([
      false,
      false,
    ]);
    await refuse('read', 'write', resource);
    expect([await has('read write', resource), await has('read write')]).toEqual([
      { scope: 'read' },
      { scope: 'write' },
    ]);
    expect(await opened.store.forgetConsent({ userId: user.id, clientId: WEB.id })).toBeGreaterThan(0);
    expect([await has('write'), await has('read', resource)]).toEqual([false, false]);
    await expect(opened.store.forgetConsent({ userId: user.id, clientId: '' })).rejects.toThrow('clientId');
  });

  it('a consent is stored for the resources that were shown, and for no others', async () => {
    const user = newUser();
    const [notes, mail] = ['https://api.example/notes', 'https://api.example/mail'];
    const askFor = (resource: string[], scope = 'read') => ({ ...ask(scope), data: { resource } });
    const has = (resource: string[], scope?: string) => opened.another.hasConsented(user, askFor(resource, scope));
    await agree(user, askFor([notes]));
    expect(await has([notes])).toBe(true);
    expect(await has([notes, mail])).toBe(false);
    expect(await has([notes], 'read write')).toBe(false);
    expect(await opened.another.hasConsented(user, ask('read'))).toBe(false);
    await agree(user, askFor([mail, notes], 'write'));
    expect(await has([notes], 'read write')).toBe(true);
    expect(await has([mail], 'read write')).toBe(false);
    expect(await has([mail, `${notes}/`], 'write')).toBe(true);
    await agree(user, ask('read'));
    expect(await has(['https://api.example/other'])).toBe(false);
    expect(await opened.store.listGrants(user.id)).toEqual([]);
  });

  it('a new consent is required if the metadata document of a client changes its redirect URI', async () => {
    const user = newUser();
    const id = 'https://app.example/client.json';
    const client = { ...SPA, id, clientIdHost: 'app.example', tokenEndpointAuthMethod: 'private_key_jwt' };
    await agree(user, ask('read', client, HTTPS));
    expect(await opened.store.hasConsented(user, ask('read', client, HTTPS))).toBe(true);
    const elsewhere = ask('read', client, 'https://other.example/callback');
    expect(await opened.store.hasConsented(user, elsewhere)).toBe(false);
    await agree(user, elsewhere);
    expect(await opened.store.hasConsented(user, elsewhere)).toBe(false);
  });

  it('consents accumulate if the user consents to more later', async () => {
    const user = newUser();
    await agree(user, ask('read'));
    await agree(user, ask('write'));
    expect(await opened.store.hasConsented(user, ask('read write'))).toBe(true);
  });

  it('a consent to an empty scope is remembered, and does not cover other scopes', async () => {
    const user = newUser();
    await agree(user, ask());
    expect(await opened.store.hasConsented(user, ask())).toBe(true);
    expect(await opened.store.hasConsented(user, ask('read'))).toBe(false);
  });

  it('consent is required each time for a public client with a loopback or custom-scheme redirect URI', async () => {
    const user = newUser();
    await agree(user, ask('read', SPA, LOOPBACK));
    await agree(user, ask('read', SPA, 'com.example.app:/callback'));
    await agree(user, ask('read', SPA, 'https://localhost/callback'));
    expect(await opened.store.hasConsented(user, ask('read', SPA, LOOPBACK))).toBe(false);
    await agree(user, ask('read', SPA, HTTPS));
    expect(await opened.store.hasConsented(user, ask('read', SPA, HTTPS))).toBe(true);
    // Consent for an https redirect URI does not extend to other redirect URIs.
    expect(await opened.store.hasConsented(user, ask('read', SPA, LOOPBACK))).toBe(false);
  });

  it('consent is required each time for a self-registered client that does not authenticate', async () => {
    const user = newUser();
    const clients = [
      { ...SPA, id: 'https://app.example/client.json', clientIdHost: 'app.example' },
      { ...SPA, id: 'dcr_public' },
    ];
    for (const client of clients) {
      await agree(user, ask('read', client, HTTPS));
      expect(await opened.store.hasConsented(user, ask('read', client, HTTPS))).toBe(false);
    }
    expect(await opened.store.listApplications(user.id)).toEqual([]);
    const asOperator = { ...clients[0]!, consent: 'once' as const };
    await agree(user, ask('read', asOperator, HTTPS));
    expect(await opened.store.hasConsented(user, ask('read', asOperator, HTTPS))).toBe(true);
  });

  it('the client setting `consent` determines whether consent is required never, once or always', async () => {
    const user = newUser();
    expect(await opened.store.hasConsented(user, ask('read', { ...SPA, consent: 'never' }))).toBe(true);
    const remembered = await agree(user, ask('read', { ...SPA, consent: 'once' }));
    expect(await opened.store.hasConsented(user, remembered)).toBe(true);
    await agree(user, ask('read', { ...WEB, consent: 'always' }));
    expect(await opened.store.hasConsented(user, ask('read', { ...WEB, consent: 'always' }))).toBe(false);
  });

  it('consents are listed with the applications of the user, and not with the grants', async () => {
    const user = newUser();
    await agree(user, ask('read'));
    expect(await opened.store.listGrants(user.id)).toEqual([]);
    const token = {
      accessToken: randomUUID(),
      accessTokenExpiresAt: later(60),
      scope: 'read write',
      grantId: 'g' + user.id,
    };
    await opened.store.saveToken(token, WEB, user);
    expect(await opened.store.listApplications(user.id)).toEqual([
      expect.objectContaining({ clientId: WEB.id, scope: expect.stringMatching(/^(read write|write read)$/) }),
    ]);
    expect(await opened.store.listGrants(user.id)).toHaveLength(1);
  });

  it.each([
    ['the grants of this user and client', (id: string) => ({ userId: id, clientId: WEB.id })],
    ['one of the grants', (id: string) => ({ userId: id, grantId: `grant-${id}` })],
    ['all grants of the user', (id: string) => ({ userId: id })],
  ])('consents are withdrawn together with %s', async (_, filter) => {
    const [user, other] = [newUser(), newUser()];
    const token = { accessToken: randomUUID(), accessTokenExpiresAt: later(60), grantId: `grant-${user.id}` };
    await opened.store.saveToken({ ...token, scope: 'read' }, WEB, user);
    await agree(user);
    await agree(other);
    await opened.another.revokeGrantsOf(filter(user.id));
    expect(await opened.store.hasConsented(user, ask('read'))).toBe(false);
    expect(await opened.store.hasConsented(other, ask('read'))).toBe(true);
    // The user can consent again.
    await agree(user);
    expect(await opened.store.hasConsented(user, ask('read'))).toBe(true);
  });

  const alice = { id: '1' };
  const signIn = async () => {
    const session = {
      sessionId: randomUUID(),
      user: alice,
      authTime: new Date(Date.now() - 5000),
      expiresAt: later(60),
    };
    await opened.store.saveSession(session);
    return session;
  };

  it('a session, with its user, is available to every process until it is revoked', async () => {
    const { sessionId, authTime } = await signIn();
    const found = await opened.another.getSession(sessionId);
    expect(found).toMatchObject({ sessionId, authTime, user: expect.objectContaining(alice) });
    expect(await opened.store.getSession(`${sessionId} `)).toBeUndefined();
    await opened.another.revokeSession({ sessionId });
    expect(await opened.store.getSession(sessionId)).toBeUndefined();
  });

  it('an expired session is not returned', async () => {
    const { sessionId } = await signIn();
    const over = { sessionId: randomUUID(), user: alice, authTime: new Date(), expiresAt: later(-1) };
    await opened.store.saveSession(over);
    expect(await opened.store.getSession(over.sessionId)).toBeUndefined();
    expect(await opened.store.getSession(sessionId)).toBeDefined();
  });

  it('a session is not listed as a grant, and is deleted with all grants of the user', async () => {
    const { sessionId } = await signIn();
    expect(await opened.store.listApplications('1')).toEqual([]);
    expect(await opened.store.listGrants('1')).toEqual([]);
    await opened.store.revokeGrantsOf({ userId: '1' });
    expect(await opened.another.getSession(sessionId)).toBeUndefined();
  });
});
