import { type INestApplication, Logger, VersioningType } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import {
  deviceAuthorization,
  introspection,
  pushedRequests,
  registration,
  revocation,
  serverMetadata,
} from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { ciba, openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { get, post } from '../support/clients/http.js';
import { demoModule, demoStore, SECRET } from '../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

/** The features with their names in the log, and the paths of their endpoints. */
const FEATURES = {
  'ciba()': ciba(),
  'deviceAuthorization()': deviceAuthorization({ verificationUri: 'https://id.example/device' }),
  'introspection()': introspection(),
  'keys()': keys(),
  'openid()': openid(),
  'pushedRequests()': pushedRequests(),
  'registration()': registration({ open: true }),
  'revocation()': revocation(),
  'serverMetadata()': serverMetadata(),
  'pages({ devices: true })': { endpoints: { device: pages({ devices: true }).endpoints!['device']! } },
};

describe.each(PLATFORMS)('a request that finds no endpoint, on %s', (platform) => {
  const log = jest.spyOn(Logger.prototype, 'log');
  const { NODE_ENV: environment } = process.env;
  beforeEach(() => void log.mockReset().mockImplementation(() => undefined));
  afterEach(async () => {
    process.env['NODE_ENV'] = environment;
    await stopApplications();
  });

  const linesOf = () => log.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('got 404'));
  const absent = (path: string, feature: string) =>
    `GET ${path} got 404: the endpoint belongs to \`${feature}\`, which is missing in \`features\`.`;

  it('is explained once by the feature that the endpoint belongs to', async () => {
    const { url } = await startApplication(platform, demoModule());
    for (const [feature, { endpoints = {} }] of Object.entries(FEATURES)) {
      for (const { path } of Object.values(endpoints)) {
        const at = `/${path.replace(/^\//, '')}`;
        for (let attempt = 0; attempt < 2; attempt += 1) expect((await get(`${url}${at}?a=b`)).status).toBe(404);
        expect(linesOf()).toEqual([absent(at, feature)]);
        log.mockClear();
      }
    }
  });

  it('is explained by the path of the endpoint', async () => {
    const prepare = (app: INestApplication) =>
      app.setGlobalPrefix('api').enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
    const paths = { prefix: 'auth' };
    const { url } = await startApplication(platform, demoModule({ paths }), { prepare });
    await post(`${url}/api/v1/auth/token`, {});
    await get(`${url}/oauth/authorize`);
    await get(`${url}/api/auth/revoke`);
    expect(linesOf()).toEqual([
      'POST /api/v1/auth/token got 404: the endpoint is at /api/auth/token.',
      'GET /oauth/authorize got 404: the endpoint is at /api/auth/authorize.',
      absent('/api/auth/revoke', 'revocation()'),
    ]);
  });

  it('is not explained in production, or if the path is not one of an endpoint', async () => {
    const { url } = await startApplication(platform, demoModule());
    for (const path of ['/revoke', '/oauth/constructor', '/oauth/', '/', '/notes/revoke']) await get(url + path);
    process.env['NODE_ENV'] = 'production';
    const production = await startApplication(platform, demoModule());
    await get(`${production.url}/oauth/revoke`);
    expect(linesOf()).toEqual([]);
  });

  it('is explained by the server that uses its directory, if the application has several', async () => {
    const partners = OAuth2Module.forRoot({
      name: 'partners',
      model: demoStore(),
      secret: SECRET,
      paths: { prefix: 'partners' },
      interaction: null,
    });
    const { imports = [], ...module } = demoModule({ features: [revocation()] });
    const { url } = await startApplication(platform, { ...module, imports: [...imports, partners] });
    await post(`${url}/partners/revoke`, {});
    await post(`${url}/partners/introspect`, {});
    await post(`${url}/oauth/introspect`, {});
    await post(`${url}/v2/oauth/token`, {});
    await post(`${url}/elsewhere/token`, {});
    expect(linesOf()).toEqual([
      'POST /partners/revoke got 404: the endpoint belongs to `revocation()`, which is missing in `features` of the server `partners`.',
      'POST /partners/introspect got 404: the endpoint belongs to `introspection()`, which is missing in `features` of the server `partners`.',
      'POST /oauth/introspect got 404: the endpoint belongs to `introspection()`, which is missing in `features`.',
      'POST /v2/oauth/token got 404: the endpoint is at /oauth/token or at /partners/token.',
    ]);
  });

  it('is explained for tenants, whose paths have parameters', async () => {
    const tenants = {
      useValue: {
        findTenant: () => 'acme',
        createTenantOptions: (tenant: string) => ({ issuer: `https://id.example/${tenant}` }),
      },
    };
    const model = demoStore();
    const paths = { prefix: ':tenant/oauth' };
    const module = OAuth2Module.forRoot({ model, secret: SECRET, tenants, paths, interaction: null });
    const { url } = await startApplication(platform, { imports: [module] });
    await post(`${url}/acme/oauth/token`, {});
    await post(`${url}/acme/oauth/revoke`, {});
    await post(`${url}/globex/oauth/revoke`, {});
    await post(`${url}/oauth/token`, {});
    expect(linesOf()).toEqual([
      absent('/acme/oauth/revoke', 'revocation()').replace('GET', 'POST'),
      'POST /oauth/token got 404: the endpoint is at /:tenant/oauth/token.',
    ]);
  });
});
