import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { decodeJwt } from 'jose';
import { jwtAccessTokens } from 'nest-oauth2/jose';
import { pages } from 'nest-oauth2/pages';

import { PLATFORMS, stopApplications } from '../../support/servers/test-application.js';
import {
  ACME,
  authorize,
  CHOICE,
  CONSENT,
  GLOBEX,
  OrganizationApplication,
  redirected,
  Store,
} from './organization-application.js';

const ALL = (id: string | undefined) => ({ idToken: id, introspection: id, userinfo: id, guard: id ?? null });

describe.each(PLATFORMS)('the choice of an organization on %s', (platform) => {
  afterEach(stopApplications);

  it('asks a user with several organizations before consent, and binds the tokens to the choice', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    const choice = await browser.get(authorize());
    expect([choice.status, choice.heading]).toEqual([200, CHOICE]);
    expect(choice.html.match(/type="radio"\s+name="choice"\s+value="(acme|globex)"/g)).toHaveLength(2);
    expect(choice.html).not.toContain('checked');
    expect(choice.html).toContain('Acme &amp; Sons');
    expect(choice.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(app.memberships.lists).toEqual([['alice', 'web', 'https://id.example']]);
    const consent = await browser.send(choice, { choice: 'globex' });
    expect([consent.status, consent.heading]).toEqual([200, CONSENT]);
    expect(consent.html).toContain('In the organization: <b>Globex</b>');
    const allowed = await browser.send(consent, { decision: 'allow' });
    expect(allowed.status).toBe(303);
    const token = await app.redeem(allowed);
    expect(await app.organizationsOf(token)).toEqual(ALL('globex'));
    expect(token).not.toHaveProperty('org_id');
    const refreshed = await app.refresh(token.refresh_token);
    expect(await app.organizationsOf(refreshed)).toEqual(ALL('globex'));
    expect(await app.organizationsOf(await app.refresh(refreshed.refresh_token))).toEqual(ALL('globex'));
  });

  it('chooses the only organization without a page, and names it on the consent page', async () => {
    const app = await OrganizationApplication.start({ platform });
    app.memberships.byUser.set('alice', [ACME]);
    const browser = await app.signIn();
    const consent = await browser.get(authorize());
    expect(consent.heading).toBe(CONSENT);
    expect(consent.html).toContain('In the organization: <b>Acme &amp; Sons</b>');
    const token = await app.redeem(await browser.send(consent, { decision: 'allow' }));
    expect(await app.organizationsOf(token)).toEqual(ALL('acme'));
  });

  it('asks a user without organizations nothing, and issues tokens without `org_id`', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn('bob');
    const consent = await browser.get(authorize());
    expect(consent.heading).toBe(CONSENT);
    expect(consent.html).not.toContain('In the organization');
    const token = await app.redeem(await browser.send(consent, { decision: 'allow' }));
    expect(await app.organizationsOf(token)).toEqual(ALL(undefined));
  });

  it('puts the organization into JWT access tokens, also after a refresh', async () => {
    const app = await OrganizationApplication.start({ platform, features: [jwtAccessTokens()] });
    const browser = await app.signIn();
    const consent = await browser.get(authorize({ organization: 'acme' }));
    const token = await app.redeem(await browser.send(consent, { decision: 'allow' }));
    for (const { access_token: jwt } of [token, await app.refresh(token.refresh_token)]) {
      expect(decodeJwt(jwt)).toMatchObject({ sub: 'alice', org_id: 'acme' });
    }
  });

  it('skips the page if the client requests an organization of the user', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    const consent = await browser.get(authorize({ organization: 'globex' }));
    expect(consent.heading).toBe(CONSENT);
    const token = await app.redeem(await browser.send(consent, { decision: 'allow' }));
    expect(await app.organizationsOf(token)).toEqual(ALL('globex'));
    // A pushed request is the same.
    const { request_uri: uri } = (await app.post(
      '/oauth/par',
      Object.fromEntries(new URL(authorize({ organization: 'acme' }), app.url).searchParams),
    )) as unknown as { request_uri: string };
    const pushed = await browser.get(`/oauth/authorize?client_id=web&request_uri=${encodeURIComponent(uri)}`);
    expect(pushed.html).toContain('In the organization: <b>Acme &amp; Sons</b>');
    const second = await app.redeem(await browser.send(pushed, { decision: 'allow' }));
    expect(await app.organizationsOf(second)).toEqual(ALL('acme'));
  });

  it('asks again with a message if nothing was chosen or the form has expired', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    const page = await browser.get(authorize());
    const empty = await browser.send(page, { choice: '' });
    expect([empty.status, empty.heading]).toEqual([200, CHOICE]);
    const expired = await browser.post(page.form.action, { csrf_token: 'expired', choice: 'acme' });
    expect([expired.status, expired.heading]).toEqual([403, CHOICE]);
    expect(expired.html).toContain('This form has expired. Please try again.');
  });

  it('remembers consent for each organization', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    const choose = async (choice: string) => browser.send(await browser.get(authorize()), { choice });
    await browser.send(await choose('acme'), { decision: 'allow' });
    const other = await choose('globex');
    expect(other.heading).toBe(CONSENT);
    await browser.send(other, { decision: 'allow' });
    for (const id of ['acme', 'globex', 'acme']) {
      const done = await choose(id);
      expect(done.status).toBe(303);
      expect(await app.organizationsOf(await app.redeem(done))).toEqual(ALL(id));
    }
    // A user who belongs to no organization any more is asked again too.
    app.memberships.byUser.set('alice', []);
    expect((await browser.get(authorize())).heading).toBe(CONSENT);
    expect(await app.store.forgetConsent({ userId: 'alice', clientId: 'web' })).toBe(2);
  });

  it('remembers a consent to a part of the scope for each organization', async () => {
    const app = await OrganizationApplication.start({ platform, options: { optionalScopes: true } });
    const browser = await app.signIn();
    const scopeIn = async (organization: string, granted: string) => {
      const page = await browser.get(authorize({ organization }));
      const done = page.location ? page : await browser.send(page, { decision: 'allow', granted_scope: granted });
      return ((await app.redeem(done)) as unknown as { scope: string }).scope;
    };
    expect(await scopeIn('acme', '')).toBe('openid');
    expect(await scopeIn('globex', 'notes:read')).toBe('openid notes:read');
    for (const [id, scope] of [
      ['acme', 'openid'],
      ['globex', 'openid notes:read'],
    ] as const) {
      expect(redirected(await browser.get(authorize({ organization: id })))).toHaveProperty('code');
      expect(await scopeIn(id, '')).toBe(scope);
    }
  });

  it('returns an error instead of a page with `prompt=none`', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    await browser.send(await browser.get(authorize({ organization: 'acme' })), { decision: 'allow' });
    const silent = await browser.get(authorize({ prompt: 'none' }));
    expect(redirected(silent)).toMatchObject({ error: 'interaction_required', state: 'xyz' });
    const named = await browser.get(authorize({ prompt: 'none', organization: 'acme' }));
    expect(redirected(named)).toHaveProperty('code');
    const other = await browser.get(authorize({ prompt: 'none', organization: 'globex' }));
    expect(redirected(other)).toMatchObject({ error: 'consent_required' });
  });

  it('applies to a client without consent too', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    const page = await browser.get(authorize({ client_id: 'own' }));
    expect(page.heading).toBe(CHOICE);
    const done = await browser.send(page, { choice: 'globex' });
    expect(done.status).toBe(303);
    expect((await app.organizationsOf(await app.redeem(done, 'own'))).guard).toBe('globex');
  });

  it('accepts a class that Nest creates, and asks its `isMember()` about each token', async () => {
    const requested: unknown[] = [];
    @Injectable()
    class Teams {
      list = () => [ACME, GLOBEX];
      isMember(user: { id: string }, id: string, context: { client: { id: string } }) {
        requested.push([user.id, id, context.client.id]);
        return true;
      }
    }
    const app = await OrganizationApplication.start({ platform, options: { organizations: Teams as never } });
    const browser = await app.signIn();
    const consent = await browser.get(authorize({ organization: 'globex' }));
    const token = await app.redeem(await browser.send(consent, { decision: 'allow' }));
    await app.refresh(token.refresh_token);
    expect(requested).toEqual(Array.from({ length: 3 }, () => ['alice', 'globex', 'web']));
  });

  it('fails the request if the application returns an invalid list, and not with the choice of nothing', async () => {
    const app = await OrganizationApplication.start({ platform });
    const browser = await app.signIn();
    for (const list of [undefined, [{ id: 1, name: 'One' }], [ACME, { ...GLOBEX, id: 'acme' }], [{ id: 'acme' }]]) {
      app.memberships.byUser.set('alice', list as never);
      app.memberships.list = () => list as never;
      const failed = await browser.get(authorize());
      expect([failed.status, failed.location]).toEqual([503, null]);
    }
  });

  it('is shown in the language of the user', async () => {
    const german = { messages: { organizationTitle: 'Organisation auswählen' } };
    const app = await OrganizationApplication.start({ platform, options: { languages: { de: german } } });
    const browser = await app.signIn();
    expect((await browser.get(authorize({ ui_locales: 'de' }))).heading).toBe('Organisation auswählen');
  });

  it('does not exist without the option', async () => {
    const app = await OrganizationApplication.start({ platform, options: { organizations: undefined as never } });
    const browser = await app.signIn();
    const consent = await browser.get(authorize({ organization: 'acme' }));
    expect(consent.heading).toBe(CONSENT);
    const token = await app.redeem(await browser.send(consent, { decision: 'allow', choice: 'acme' }));
    expect(await app.organizationsOf(token)).toEqual(ALL(undefined));
    expect(app.memberships.lists).toEqual([]);
    const feature = pages({ organizations: app.memberships });
    expect(feature.parameters).toHaveProperty('authorize.organization');
    expect(pages().parameters).toBeUndefined();
  });

  it('asks for consent each time if the model does not know organizations', async () => {
    const model = new Store({
      clients: [
        {
          id: 'web',
          secret: 'secret-of-the-client-web',
          grants: ['authorization_code'],
          redirectUris: ['https://app.example/callback'],
          scopes: ['openid', 'notes:read'],
        },
      ],
      users: { findById: (id) => ({ id }), findByCredentials: (id) => ({ id }) },
    });
    model.hasConsented = async () => true;
    const app = await OrganizationApplication.start({ platform, model });
    const browser = await app.signIn();
    expect((await browser.get(authorize({ organization: 'acme' }))).heading).toBe(CONSENT);
    const bob = await app.signIn('bob');
    expect(redirected(await bob.get(authorize()))).toHaveProperty('code');
  });
});
