import type { LoggerService } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { resourceIndicators } from 'nest-oauth2/features';
import { dpop, privateKeyJwt } from 'nest-oauth2/jose';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { SECRET } from '../support/servers/demo.js';
import { basic, get, post } from '../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

const users = { findByCredentials: () => undefined, findById: () => undefined };
const web = {
  id: 'web',
  secret: 'web-secret',
  grants: ['client_credentials', 'authorization_code'],
  redirectUris: ['http://127.0.0.1:3001/callback', 'https://app.example/callback'],
  scopes: ['read'],
};
const store = () => new MemoryStore({ clients: [web], users });
const issuer = 'https://id.example.com';

describe('a configuration error stops the start with its cause and remedy:', () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      'a misspelt option',
      () => pages({ sesionLifetime: 60 } as never),
      /`sesionLifetime` of `pages\(\)`.*`sessionLife/,
    ],
    ['a misspelt page', () => pages({ render: { logn: () => '' } } as never), /`logn` of `render`.*`login`/],
    ['a page that is not a function', () => pages({ render: { login: '' } } as never), /`login` in `render`.*function/],
    ['a misspelt option of a factor', () => pages({ secondFactor: { by: {}, hen: 1 } } as never), /`hen` of `secondF/],
    [
      'null as secondFactor',
      () => pages({ secondFactor: null } as never),
      /`secondFactor` of `pages\(\)` must be an obj/,
    ],
    ['null as options of pages()', () => pages(null as never), /the options of `pages\(\)` must be an object/],
    [
      'a string instead of a boolean',
      () => pages({ devices: 'true' } as never),
      /`devices` of `pages\(\)` must be true or false/,
    ],
    ['null as sessions', () => pages({ sessions: null } as never), /`sessions` of `pages\(\)` must be an object/],
    ['null as nonce', () => dpop({ nonce: null } as never), /`nonce` of `dpop\(\)` must be an object.*`secret`/],
    ['null as fetch', () => privateKeyJwt({ fetch: null } as never), /`fetch` must be an object with `allow`/],
    ['null as a list', () => privateKeyJwt({ fetch: { allow: null } } as never), /`allow` of a fetch must be a list/],
    [
      'a misspelt option of fetch',
      () => privateKeyJwt({ fetch: { alow: [] } } as never),
      /`alow` of a fetch: the options are/,
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({ name: 'invalid_argument', message: expect.stringMatching(message) }),
    );
  });

  it.each<[string, object | null, RegExp]>([
    ['null as resources', { resources: null }, /`resources` of `resourceIndicators\(\)` must be a list/],
    [
      'a string as resources',
      { resources: 'https://a.example' },
      /`resources` of `resourceIndicators\(\)` must be a li/,
    ],
    ['null as own resources', { own: null }, /`own` of `resourceIndicators\(\)` must be a list/],
    ['null as options', null, /the options of `resourceIndicators\(\)` must be an object/],
  ])('resourceIndicators() with %s', async (_, options, message) => {
    const features = [resourceIndicators(options as never)];
    const module = { imports: [OAuth2Module.forRoot({ model: store(), issuer, secret: SECRET, features })] };
    await expect(startApplication('express', module)).rejects.toThrow(message);
    await stopApplications();
  });
});

describe.each(PLATFORMS)('a rejected request is logged on %s with cause and remedy:', (platform) => {
  const debug = jest.fn<NonNullable<LoggerService['debug']>>();
  const logger: LoggerService = { debug, log() {}, warn() {}, error() {} };
  afterEach(stopApplications);
  afterEach(() => {
    debug.mockReset();
  });
  const token = (form: Record<string, string>, secret = 'web-secret', id = 'web') => ({ form, id, secret });

  it.each([
    ['a wrong secret', token({ grant_type: 'client_credentials' }, 'wrong'), 'client is invalid', 'send the secret'],
    ['an unknown client', token({ grant_type: 'client_credentials' }, 'x', 'wbe'), 'client is invalid', 'correct the'],
    ['a misspelt grant type', token({ grant_type: 'client_credential' }), '`grant_type` is invalid', 'add the feature'],
    [
      'a grant type that the client is not registered for',
      token({ grant_type: 'password' }),
      'this client is not allowed to use this `grant_type`',
      "add 'password' to",
    ],
    [
      'a missing scope',
      token({ grant_type: 'client_credentials' }),
      'Missing parameter: `scope`',
      'set `defaultScope`',
    ],
    [
      'a scope that the client may not use',
      token({ grant_type: 'client_credentials', scope: 'x' }),
      'scope is invalid',
      'to `scopes` of the',
    ],
    [
      'an unknown code',
      token({ grant_type: 'authorization_code', code: 'x' }),
      'code is invalid',
      'start a new authori',
    ],
  ])('%s', async (_, { form, id, secret }, description, remedy) => {
    const module = { imports: [OAuth2Module.forRoot({ model: store(), interaction: null })] };
    const { url } = await startApplication(platform, module, { logger });
    const response = await post(`${url}/oauth/token`, form, basic(id, secret));
    const { error_description: reported } = (await response.json()) as { error_description: string };
    expect(reported).toContain(description);
    const line = String(debug.mock.calls.at(-1)?.[0]);
    expect(line).toMatch(/ reason="/);
    expect(/ remedy="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]).toContain(remedy);
  });

  it.each([
    ['http://localhost:3001/callback', '`localhost` and `127.0.0.1` are different hosts'],
    ['https://app.example/callback/', 'a trailing slash makes a difference'],
    ['http://app.example/callback', 'the schemes `http` and `https` differ'],
    ['https://app.example:8443/callback', 'the port must be the same'],
    ['https://app.example/callback?a=1', 'the query string must be the same'],
    ['https://app.example/Callback', 'upper and lower case'],
    ['https://other.example/', 'register the redirect URI exactly'],
  ])('an unregistered redirect URI, %s', async (redirect_uri, remedy) => {
    const features = [pages()];
    const module = { imports: [OAuth2Module.forRoot({ model: store(), issuer, secret: SECRET, features })] };
    const { url } = await startApplication(platform, module, { logger });
    const query = new URLSearchParams({ client_id: 'web', response_type: 'code', redirect_uri, state: 's' });
    const response = await get(`${url}/oauth/authorize?${query.toString()}`);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(String(debug.mock.calls.at(-1)?.[0])).toContain(remedy);
  });
});
