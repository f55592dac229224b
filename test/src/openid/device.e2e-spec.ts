import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { deviceAuthorization } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as client from 'openid-client';

import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { ALICE, RSA } from '../../support/servers/openid-server.js';
import { PageBrowser } from '../pages/page-browser.js';

const tv = {
  id: 'tv',
  tokenEndpointAuthMethod: 'none',
  grants: ['urn:ietf:params:oauth:grant-type:device_code'],
  scopes: ['openid'],
} as const;

class Model extends MemoryStore {
  getClaims = () => ALICE;
}

describe.each(ANY_PLATFORM)('a device that requests individual claims, on %s,', (platform) => {
  afterEach(stopApplications);

  it('receives only the claims that the user was shown', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const user = { id: '1', username: 'alice' };
    const model = new Model({
      clients: [{ ...tv, grants: [...tv.grants], scopes: [...tv.scopes] }],
      users: { findById: () => user, findByCredentials: () => user },
    });
    const features = [keys({ from: [RSA] }), openid(), deviceAuthorization({ interval: 1 }), pages({ devices: true })];
    const imports = [OAuth2Module.forRoot({ model, issuer: url, features, secret: SECRET })];
    await startApplication(platform, { imports }, { port });
    const config = await client.discovery(new URL(url), 'tv', undefined, client.None(), {
      execute: [client.allowInsecureRequests],
    });
    const claims = JSON.stringify({ userinfo: { phone_number: null }, id_token: { email: null } });
    const begun = await client.initiateDeviceAuthorization(config, { scope: 'openid', claims });
    const browser = new PageBrowser(url);
    await browser.signIn('/oauth/login');
    const shown = await browser.send(await browser.get('/oauth/device'), { user_code: begun.user_code });
    expect(shown.heading).toBe('Connect this device?');
    for (const name of ['phone_number', 'email']) expect(shown.html).toContain(`See: <code>${name}</code>`);
    await browser.send(shown, { decision: 'allow' });
    const tokens = await client.pollDeviceAuthorizationGrant(config, begun);
    expect(tokens.claims()).toMatchObject({ sub: '1', email: ALICE.email });
    expect(await client.fetchUserInfo(config, tokens.access_token, '1')).toEqual({
      sub: '1',
      phone_number: ALICE.phone_number,
    });
  });
});
