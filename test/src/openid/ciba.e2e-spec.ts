import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, OAuth2Server } from 'nest-oauth2';
import { type Feature, registration } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { ciba, openid } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { IN_MEMORY, users } from '../../stores/in-memory.js';
import { SECRET } from '../../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { describeCibaRequests, GRANT } from './ciba-requests.js';

for (const platform of PLATFORMS) describeCibaRequests(IN_MEMORY, platform);

describe('the CIBA metadata in a client registration', () => {
  afterEach(stopApplications);

  it.each([
    ['push mode', { backchannel_token_delivery_mode: 'push' }],
    ['ping mode without notification endpoint', { backchannel_token_delivery_mode: 'ping' }],
    [
      'a notification endpoint at a private network address',
      { backchannel_client_notification_endpoint: 'https://127.0.0.1/' },
    ],
    ['a notification endpoint without TLS', { backchannel_client_notification_endpoint: 'http://app.example/' }],
    ['an HMAC algorithm to sign requests', { backchannel_authentication_request_signing_alg: 'HS256' }],
    ['a user code that the server does not verify', { backchannel_user_code_parameter: true }],
  ])('must not contain %s', async (_, metadata) => {
    const model = Object.assign(new MemoryStore({ clients: [], users }), {
      getClaims: () => ({}),
      findHintedUser: () => undefined,
      askUser: () => undefined,
    });
    const features = [
      registration({ open: true, scopes: ['openid'], grants: [GRANT] }),
      keys({ secret: SECRET, algorithms: ['ES256'] }),
      openid({ alg: 'ES256' }),
      ciba(),
    ];
    const { url } = await startApplication('fastify', {
      imports: [OAuth2Module.forRoot({ model, issuer: 'https://id.example', secret: SECRET, features })],
    });
    const response = await globalThis.fetch(`${url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_types: [GRANT], response_types: [], ...metadata }),
    });
    expect(await response.json()).toMatchObject({ error: 'invalid_client_metadata' });
  });

  it('requires the CIBA methods of the model and related options at start-up', () => {
    const issuer = 'https://id.example';
    const start = (model: object, features: Feature[]) => () =>
      new OAuth2Server({ model: Object.assign(new MemoryStore({ clients: [], users }), model), issuer, features });
    const model = { findHintedUser: () => undefined, askUser: () => undefined };
    expect(start({}, [ciba()])).toThrow('`findHintedUser()`');
    expect(start(model, [ciba()])).toThrow('requires `openid()`');
    expect(start(model, [ciba({ userCode: true })])).toThrow('`verifyUserCode()`');
    expect(start(model, [ciba({ lifetime: 0 })])).toThrow('`lifetime`');
    expect(start(model, [ciba({ intervall: 5 } as object)])).toThrow('intervall');
    expect(() => ciba({ fetch: { timeout: -1 } })).toThrow('`timeout`');
  });
});
