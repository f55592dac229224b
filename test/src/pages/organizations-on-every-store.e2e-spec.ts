import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type AnyStore, findStores, type OpenStore } from '../../stores/every-store.js';
import { stopApplications } from '../../support/servers/test-application.js';
import { authorize, client, CONSENT, Memberships, OrganizationApplication } from './organization-application.js';

const ALL = (id: string) => ({ idToken: id, introspection: id, userinfo: id, guard: id });

describe.each(await findStores())('organizations on $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
    for (const id of ['web', 'other']) await opened.store.saveClient(client(id));
  });
  afterAll(async () => {
    await stopApplications();
    await opened.close();
  });

  /** Starts two processes with the same organizations on one database, and signs Alice in at the first one. */
  async function start() {
    const memberships = new Memberships();
    const startOn = async (store: AnyStore, platform: 'express' | 'fastify') => {
      const model = Object.assign(Object.create(store) as typeof store, { getClaims: () => ({}) });
      return OrganizationApplication.start({ platform, model, memberships });
    };
    const [app, other] = [await startOn(opened.store, 'express'), await startOn(opened.another, 'fastify')];
    const browser = await app.signIn();
    const allow = async (clientId: string, organization: string) => {
      const page = await browser.get(authorize({ client_id: clientId, organization }));
      return browser.send(page, { decision: 'allow' });
    };
    return { app, other, memberships, browser, allow };
  }

  it('are bound to the grant in every process, and verified at each refresh', async () => {
    const { app, other, memberships, allow } = await start();
    const token = await other.redeem(await allow('web', 'globex'));
    for (const process of [app, other]) expect(await process.organizationsOf(token)).toEqual(ALL('globex'));
    const refreshed = await other.refresh(token.refresh_token, { organization: 'acme', org_id: 'acme' });
    expect(await app.organizationsOf(refreshed)).toEqual(ALL('globex'));
    const before = memberships.byUser.get('alice')!;
    memberships.byUser.set(
      'alice',
      before.filter(({ id }) => id === 'acme'),
    );
    expect(await other.refresh(refreshed.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    memberships.byUser.set('alice', before);
    // The refresh token was not consumed.
    const again = await app.refresh(refreshed.refresh_token);
    expect(await other.organizationsOf(again)).toEqual(ALL('globex'));
    expect(await opened.another.revokeGrantsOf({ userId: 'alice', clientId: 'web' })).toBeGreaterThan(0);
    expect((await app.organizationsOf(again)).introspection).toBeUndefined();
    expect(await app.refresh(again.refresh_token)).toMatchObject({ error: 'invalid_grant' });
  });

  it('have a consent each, which is forgotten with the others of the client', async () => {
    const { other, browser, allow } = await start();
    const ask = async (organization: string) => browser.get(authorize({ client_id: 'other', organization }));
    await allow('other', 'acme');
    expect((await ask('globex')).heading).toBe(CONSENT);
    await allow('other', 'globex');
    for (const organization of ['acme', 'globex']) {
      const token = await other.redeem(await ask(organization), 'other');
      expect((await other.organizationsOf(token)).guard).toBe(organization);
    }
    expect(await opened.another.forgetConsent({ userId: 'alice', clientId: 'other' })).toBe(2);
    expect((await ask('acme')).heading).toBe(CONSENT);
  });
});
