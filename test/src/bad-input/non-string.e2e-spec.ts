import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, type INestApplication } from '@nestjs/common';
import { OAuth2Module } from 'nest-oauth2';
import {
  authorizationDetails,
  deviceAuthorization,
  introspection,
  pushedRequests,
  registration,
  resourceIndicators,
  revocation,
  serverMetadata,
  tokenExchange,
} from 'nest-oauth2/features';
import { dpop, keys, privateKeyJwt, requestObjects } from 'nest-oauth2/jose';
import { logout, openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { SECRET } from '../../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { RSA } from '../../support/servers/openid-server.js';

class Model extends MemoryStore {
  getClaims = () => ({});
}

const newStore = () =>
  new Model({
    clients: [
      {
        id: 'web',
        secret: 'web-secret',
        grants: ['authorization_code', 'refresh_token', 'client_credentials'],
        redirectUris: ['https://app.example/callback'],
        scopes: ['openid', 'notes:read'],
      },
    ],
    users: { findById: () => undefined, findByCredentials: () => undefined },
  });

/** A value that is nested too deeply for a recursive function. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

const VALUES = [
  '{"toString":1}',
  '{"toString":{},"valueOf":1}',
  '{"toJSON":1}',
  '{"length":3,"0":"a"}',
  '{"__proto__":{"toString":1}}',
  '{}',
  'true',
  '1e400',
  '[{"toString":1}]',
  '[["web"]]',
  '[[],[]]',
  '[null,null]',
  '["web",{"x":1}]',
  DEEP,
];

const PARAMETERS = (
  'client_id client_secret client_assertion client_assertion_type grant_type response_type' +
  ' response_mode redirect_uri scope state code_challenge code_challenge_method request' +
  ' request_uri prompt max_age nonce claims login_hint id_token_hint acr_values display' +
  ' ui_locales resource authorization_details dpop_jkt code code_verifier refresh_token token' +
  ' token_type_hint subject_token subject_token_type user_code device_code username password' +
  ' csrf_token decision allowed account return_to post_logout_redirect_uri access_token' +
  ' redirect_uris jwks contacts unknown'
).split(' ');

const ENDPOINTS =
  'authorize token par device_authorization device introspect revoke register userinfo login logout applications'.split(
    ' ',
  );

const BASE: Record<string, string> = {
  client_id: 'web',
  client_secret: 'web-secret',
  response_type: 'code',
  redirect_uri: 'https://app.example/callback',
  scope: 'notes:read',
  state: 'xyz',
  grant_type: 'client_credentials',
  token: 'a-token',
};

describe.each(PLATFORMS)('parameters whose values are not strings, on %s', (platform) => {
  let url: string;
  const logged: unknown[] = [];
  beforeAll(async () => {
    const features = [
      serverMetadata(),
      pages({ devices: true }),
      keys({ from: [RSA] }),
      openid(),
      logout(),
      dpop(),
      requestObjects(),
      privateKeyJwt(),
      pushedRequests(),
      deviceAuthorization(),
      introspection(),
      revocation(),
      tokenExchange(),
      resourceIndicators({ resources: ['https://api.example'] }),
      authorizationDetails({ types: { payment: { title: 'Pay' } } }),
      registration({ open: true, rate: false }),
    ];
    const module = OAuth2Module.forRoot({ model: newStore(), issuer: 'https://id.example', features, secret: SECRET });
    const prepare = (app: INestApplication) => {
      if (platform === 'express') app.getHttpAdapter().getInstance().set('query parser', 'extended');
      app.useLogger(false);
    };
    ({ url } = await startApplication(platform, { imports: [module] }, { prepare }));
    Logger.overrideLogger({
      log: () => undefined,
      warn: () => undefined,
      error: (message: unknown) => logged.push(message),
    });
  }, 60_000);
  afterAll(async () => {
    Logger.overrideLogger(false);
    await stopApplications();
  });

  const send = (endpoint: string, init: RequestInit, query = '') =>
    fetch(`${url}/oauth/${endpoint}${query}`, { redirect: 'manual', method: 'POST', ...init });

  it.each(ENDPOINTS)(
    'cause a client error in a JSON body at the endpoint %s',
    async (endpoint) => {
      const headers = { 'content-type': 'application/json' };
      for (const [index, name] of PARAMETERS.entries()) {
        const { [name]: _, ...others } = BASE;
        const rest = Object.entries(others).map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`);
        // Each parameter gets every fourth value at the authorization endpoint and one value elsewhere, because testing
        // all combinations takes minutes.
        const step = endpoint === 'authorize' ? 4 : VALUES.length;
        const values = VALUES.filter((_value, at) => (at + index) % step === 0);
        for (const value of values) {
          const response = await send(endpoint, { headers, body: `{"${name}":${value}${rest.join('')}}` });
          const text = await response.text();
          expect([name, value.slice(0, 40), response.status < 500, text.includes('server_error'), logged]).toEqual([
            name,
            value.slice(0, 40),
            true,
            false,
            [],
          ]);
        }
      }
    },
    120_000,
  );

  it.each(ENDPOINTS)(
    'cause a client error in nested forms and query strings at the endpoint %s',
    async (endpoint) => {
      for (const [index, name] of PARAMETERS.entries()) {
        const { [name]: _, ...others } = BASE;
        const shapes = [`${name}[x]=1`, `${name}[]=a&${name}[]=b`, `${name}[0][y]=1`, `${name}=a&${name}[b]=c`];
        const nested = shapes[index % shapes.length]!;
        const form = `${nested}&${new URLSearchParams(others).toString()}`;
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const statuses = [
          (await send(endpoint, { headers, body: form })).status,
          (await send(endpoint, { method: 'GET' }, `?${form}`)).status,
        ];
        expect([nested, statuses.every((status) => status < 500), logged]).toEqual([nested, true, []]);
      }
    },
    120_000,
  );

  it.each(['client_id', 'redirect_uri'])(
    'cause `invalid_request` as the %s of an authorization request',
    async (name) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const body = `{"client_id":"web","redirect_uri":"https://app.example/callback","${name}":{"toString":1}}`;
      const response = await send('authorize', { headers, body });
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(await response.text()).toContain(name);
    },
  );

  it.each(['state', 'prompt', 'resource', 'max_age', 'login_hint', 'response_mode', 'code_challenge'])(
    'cause an `invalid_request` that is returned to the client, as the %s of an authorization request',
    async (name) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ ...BASE, [name]: { toString: 1 } });
      const response = await send('authorize', { headers, body });
      expect(response.headers.get('location')).toMatch(/^https:\/\/app\.example\/callback\?error=invalid_request/);
    },
  );

  it('cause `invalid_scope` as the scope of an authorization request', async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await send('authorize', { headers, body: JSON.stringify({ ...BASE, scope: { toString: 1 } }) });
    expect(response.headers.get('location')).toMatch(/\?error=invalid_scope&/);
  });
});
