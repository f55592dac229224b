import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';

import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import { PageBrowser } from './page-browser.js';

// OpenID Connect Core 1.0 §4: third-party initiated login.

class Model extends MemoryStore {
  getClaims = () => ({});
}

describe.each(PLATFORMS)('the page of authorized applications on %s', (platform) => {
  afterEach(stopApplications);

  /** Returns the links of the page by their text. */
  async function linksFor(clients: Partial<StoredClient>[], features = [keys({ from: [RSA] }), openid()]) {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const known = {
      secret: 'secret-of-the-client',
      grants: ['authorization_code'],
      redirectUris: ['https://a.example/'],
    };
    const alice = { id: '1', username: 'alice' };
    const model = new Model({
      clients: clients.map((one, at) => ({ ...known, id: `client-${at}`, clientName: `Wiki ${at}`, ...one })),
      users: { findById: () => alice, findByCredentials: () => alice },
    });
    for (const one of clients.keys()) {
      const token = { accessToken: `t${one}`, accessTokenExpiresAt: new Date(Date.now() + 3_600_000) };
      await model.saveToken(token, (await model.getClient(`client-${one}`, null))!, alice);
    }
    const module = OAuth2Module.forRoot({ model, issuer, secret: SECRET, features: [...features, pages()] });
    await startApplication(platform, { imports: [module] }, { port });
    const browser = new PageBrowser(issuer);
    await browser.signIn('/oauth/login');
    const { html } = await browser.get('/oauth/applications');
    const links = [...html.matchAll(/<a href="(https:[^"]*)"[^>]*>(.*?)<\/a>/g)].map(([, href, text]) => [text, href]);
    return { links: Object.fromEntries(links) as object, issuer: encodeURIComponent(issuer), html };
  }

  it('links to the initiate_login_uri of clients, with the issuer as parameter', async () => {
    const { links, issuer } = await linksFor([
      { initiateLoginUri: 'https://a.example/login' },
      { metadata: { initiate_login_uri: 'https://b.example/login?a=%20b#c' } as never },
      {},
    ]);
    expect(links).toEqual({
      'Go to <bdi>Wiki 0</bdi>': `https://a.example/login?iss=${issuer}`,
      'Go to <bdi>Wiki 1</bdi>': `https://b.example/login?a=%20b&amp;iss=${issuer}#c`,
    });
  });

  it('links only to valid https URLs, even if the application stores other values', async () => {
    const { links, html } = await linksFor([
      { initiateLoginUri: 'http://a.example/login' },
      { initiateLoginUri: 'javascript:alert(1)' },
      { initiateLoginUri: 7 as never },
      { initiateLoginUri: 'https://user@a.example/' },
    ]);
    expect(html).toContain('Wiki 3');
    expect(links).toEqual({});
    expect(html).not.toContain('javascript:');
  });

  it('has no links to clients if the server does not support OpenID Connect', async () => {
    const { links, html } = await linksFor([{ initiateLoginUri: 'https://a.example/login' }], []);
    expect(html).toContain('Wiki 0');
    expect(links).toEqual({});
  });
});
