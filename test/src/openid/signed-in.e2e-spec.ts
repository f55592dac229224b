import { afterEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { OAuth2Module } from 'nest-oauth2';
import { deviceAuthorization } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages, type PagesOptions } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';
import { PageBrowser } from '../pages/page-browser.js';

// Login details in an ID token if the user signs in on the pages.

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
const alice = { id: '1', name: 'Alice' };

class Model extends MemoryStore {
  getClaims = () => ({});
}

const open = async (platform: (typeof PLATFORMS)[number], look: PagesOptions, more: object = {}) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const tv = { id: 'tv', tokenEndpointAuthMethod: 'none', grants: [DEVICE_CODE, 'refresh_token'], scopes: ['openid'] };
  const users = { findById: () => alice, findByCredentials: () => alice };
  const model = new Model({ clients: [tv], users });
  const features = [keys({ from: [RSA] }), openid(), deviceAuthorization(), pages({ devices: true, ...look })];
  const module = OAuth2Module.forRoot({ model, issuer: url, features, secret: SECRET, ...more });
  await startApplication(platform, { imports: [module] }, { port });
  return url;
};
afterEach(stopApplications);

describe.each(PLATFORMS)('the ID token of the device flow on %s', (platform) => {
  it('contains when and how the user signed in to enter the code, and no session ID', async () => {
    const url = await open(platform, { signIn: { acr: 'urn:example:pwd', amr: ['pwd'] } });
    const post = async (path: string, form: Record<string, string>) =>
      (await (
        await fetch(url + path, { method: 'POST', body: new URLSearchParams({ client_id: 'tv', ...form }) })
      ).json()) as Record<string, string>;
    const begun = await post('/oauth/device_authorization', { scope: 'openid' });
    const before = Math.floor(Date.now() / 1000);
    const browser = new PageBrowser(url);
    await browser.signIn('/oauth/login');
    const requested = await browser.send(await browser.get('/oauth/device'), { user_code: begun['user_code']! });
    expect((await browser.send(requested, { decision: 'allow' })).location).toBe('/oauth/device?done=allowed');
    const poll = { grant_type: DEVICE_CODE, device_code: begun['device_code']! };
    const first = await post('/oauth/token', poll);
    const again = await post('/oauth/token', { grant_type: 'refresh_token', refresh_token: first['refresh_token']! });
    for (const { id_token: idToken } of [first, again]) {
      const said = decodeJwt(idToken!);
      expect(said).toMatchObject({ sub: '1', acr: 'urn:example:pwd', amr: ['pwd'] });
      expect(said['auth_time']).toBeGreaterThanOrEqual(before);
      expect(said).not.toHaveProperty('sid');
    }
  });
});

describe('the start of an application with contradictory login options', () => {
  const sessions = { find: () => alice, start: () => undefined, end: () => undefined };
  const interaction = { findUser: () => alice, login: () => ({ redirect: '/' }), consent: () => ({ redirect: '/' }) };

  it.each<[string, PagesOptions, object, string]>([
    ['own sessions that do not report when the login happened', { sessions }, {}, 'a method `howSignedIn()`'],
    [
      'an own interaction that does not report when the login happened',
      {},
      { interaction },
      'a method `howSignedIn()`',
    ],
    [
      'signIn together with own sessions',
      { sessions, signIn: { acr: 'a' } },
      {},
      '`signIn` cannot be combined with `sessions`',
    ],
    ['an invalid signIn', { signIn: { amr: 'pwd' } as never }, {}, '`signIn` of `pages()` must be `{ acr, amr }`'],
    ['a misspelt signIn', { signIn: { arc: 'a' } as never }, {}, '`signIn` of `pages()` must be `{ acr, amr }`'],
  ])('fails with %s', async (_, look, more, sentence) => {
    await expect((async () => open('express', look, more))()).rejects.toThrow(sentence);
  });
});
