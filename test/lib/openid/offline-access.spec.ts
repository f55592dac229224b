import { describe, expect, it } from '@jest/globals';
import { deviceAuthorization, serverMetadata } from 'nest-oauth2/features';
import { Request } from 'nest-oauth2/server';

import { openIdServer, SECRET } from '../../support/servers/openid-server.js';
import { basic, FORM } from '../../support/clients/requests.js';
import { openCiba } from '../../support/clients/ciba.js';

// OpenID Connect Core §11, RFC 6749 §3.3

const WITHOUT = { scopes: ['openid', 'profile', 'read'] };
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

describe('the metadata', () => {
  it.each([
    [undefined, false],
    [false, false],
    [true, true],
  ])(
    'lists offline_access as supported only if `offlineAccess` is true: %j causes %j',
    async (offlineAccess, isAnnounced) => {
      const given = offlineAccess === undefined ? {} : { offlineAccess };
      const { get } = await openIdServer({ ...given, more: [serverMetadata({ scopes: ['read'] })] });
      for (const document of ['openid-configuration', 'server-metadata']) {
        const { scopes_supported: scopes } = await get(document);
        expect((scopes as string[]).includes('offline_access')).toBe(isAnnounced);
      }
    },
  );
});

describe('the scope offline_access, requested by a client that may not have it,', () => {
  it.each([{}, { offlineAccess: true }])(
    'is ignored at the authorization endpoint with the options %j',
    async (options) => {
      const { signIn } = await openIdServer({ ...options, client: WITHOUT });
      const tokens = await signIn({ scope: 'openid profile offline_access', prompt: 'consent unknown' });
      expect(tokens).toMatchObject({ scope: 'openid profile', id_token: expect.any(String) });
      expect('refresh_token' in tokens).toBe(options.offlineAccess === undefined);
    },
  );

  it('is ignored without the scope openid, as MCP clients send it', async () => {
    const { signIn } = await openIdServer({ client: WITHOUT });
    expect(await signIn({ scope: 'read offline_access' })).toMatchObject({ scope: 'read' });
  });

  it('does not make another unknown scope acceptable', async () => {
    const { authorize } = await openIdServer({ client: WITHOUT });
    const { parameters } = await authorize({ scope: 'openid offline_access unknown' });
    expect(parameters).toMatchObject({ error: 'invalid_scope' });
  });

  it('counts as no requested scope if it is the only value, so that the default scope applies', async () => {
    const { signIn } = await openIdServer({ client: { ...WITHOUT, defaultScope: ['read'] } });
    expect(await signIn({ scope: 'offline_access' })).toMatchObject({ scope: 'read' });
  });

  it('is ignored when tokens are refreshed', async () => {
    const { signIn, token } = await openIdServer({ client: WITHOUT });
    const { refresh_token } = await signIn({ scope: 'openid read' });
    const form = { grant_type: 'refresh_token', refresh_token, scope: 'read offline_access' };
    expect(await token(form)).toMatchObject({ status: 200, body: { scope: 'read' } });
  });

  it('is ignored for client credentials', async () => {
    const { token } = await openIdServer({ client: WITHOUT });
    const form = { grant_type: 'client_credentials', scope: 'read offline_access' };
    expect(await token(form)).toMatchObject({ status: 200, body: { scope: 'read' } });
  });

  it('is ignored at the device and CIBA endpoints', async () => {
    const client = { ...WITHOUT, grants: [DEVICE] };

    const { send } = await openIdServer({
      client,
      more: [deviceAuthorization({ verificationUri: 'https://id.example.com/device' })],
    });
    const headers = { ...FORM, authorization: basic('web', SECRET) };
    const body = { scope: 'openid offline_access' };
    const request = new Request({ method: 'POST', headers, query: {}, body });
    expect((await send('device_authorization', request)).status).toBe(200);
    const { backchannelRequests, begin } = await openCiba({ client: WITHOUT });
    expect((await begin({ scope: 'openid offline_access' })).status).toBe(200);
    expect(backchannelRequests.at(-1)).toMatchObject({ scope: 'openid' });
  });

  it('is ignored even if only validateScope() of the model rejects it', async () => {
    const validateScope = (_: object, __: object, scope?: string) => !scope?.includes('offline_access');
    const model = { validateScope, validateClientScope: undefined };
    const { signIn } = await openIdServer({ model });
    expect(await signIn({ scope: 'openid read offline_access' })).toMatchObject({ scope: 'openid read' });
  });
});
