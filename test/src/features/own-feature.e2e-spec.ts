import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Client } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { decide, openConsentPage } from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, CALLBACK, demoModule } from '../../support/servers/demo.js';
import {
  readResponse,
  get,
  issued,
  post,
  REFRESH_TOKEN,
  expectedRefusal,
  refusalBody,
} from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { VOUCHER, type VoucherModel, vouchers } from './vouchers.js';

afterEach(stopApplications);

const ISSUER = 'https://id.example';
const PUBLIC = /^import [^;]* from 'nest-oauth2(?:\/[\w/]+)?';$/m;
const alice = { id: 'alice' };
const web: Client & { secret: string; scopes: string[] } = {
  id: 'web',
  secret: 'web-secret',
  grants: ['authorization_code', 'refresh_token', VOUCHER],
  redirectUris: [CALLBACK],
  scopes: ['notes:read'],
};

class VoucherStore extends MemoryStore implements VoucherModel {
  readonly made = new Map<string, string>();

  async makeVoucher({ id }: Client) {
    this.made.set(`voucher-${this.made.size + 1}`, id);
    return `voucher-${this.made.size}`;
  }

  async findVoucher(voucher: string) {
    return this.made.delete(voucher) ? { user: alice, scope: 'notes:read' } : undefined;
  }
}

const store = () =>
  new VoucherStore({
    clients: [web],
    users: { findById: (id) => (id === alice.id ? alice : undefined), findByCredentials: () => undefined },
  });

it('an application’s own feature takes one file of less than 80 lines and only public imports', () => {
  const source = readFileSync(`${import.meta.dirname}/vouchers.ts`, 'utf8');
  const imports = source.match(/^import .*?;$/gms);
  expect(source.split('\n').length).toBeLessThan(80);
  expect(imports).toEqual([expect.stringMatching(PUBLIC), expect.stringMatching(PUBLIC)]);
});

describe.each(PLATFORMS)('an application’s own feature on %s', (platform) => {
  const running = new Set(['spring']);
  const client = { client_id: 'web', client_secret: 'web-secret' };

  async function start() {
    running.add('spring');
    const features = [vouchers({ running }), serverMetadata()];
    const { url } = await startApplication(platform, demoModule({ model: store(), issuer: ISSUER, features }));
    return {
      url,
      token: (form: Record<string, string>) => readResponse(post(`${url}/oauth/token`, { ...form, ...client })),
    };
  }

  it('adds an endpoint with a route, and a grant type', async () => {
    const { url, token } = await start();
    const made = await readResponse(post(`${url}/oauth/voucher`, client));
    expect(made).toMatchObject({ status: 200, body: { voucher: 'voucher-1' } });
    const body = { refresh_token: REFRESH_TOKEN, scope: 'notes:read' };
    expect(await token({ grant_type: VOUCHER, voucher: 'voucher-1' })).toEqual(issued(body));
    expect(await token({ grant_type: VOUCHER, voucher: 'voucher-1' })).toEqual(
      expectedRefusal('invalid_grant', 'Invalid grant: voucher is invalid'),
    );
    expect(await token({ grant_type: VOUCHER })).toEqual(
      expectedRefusal('invalid_request', 'Missing parameter: `voucher`'),
    );
  });

  it('rejects unauthenticated clients at its endpoint', async () => {
    const { url } = await start();
    const response = await readResponse(post(`${url}/oauth/voucher`, { client_id: 'web', client_secret: 'guessed' }));
    expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  it('keeps a parameter from authorization to refresh, returns it with tokens, and validates tokens by it', async () => {
    const { url, token } = await start();
    const landed = await decide(url, { ...AUTHORIZATION_PARAMETERS, campaign: 'spring' }, 'alice', 'allow');
    const code = { grant_type: 'authorization_code', code: landed.searchParams.get('code')!, redirect_uri: CALLBACK };
    const body = { refresh_token: REFRESH_TOKEN, scope: 'notes:read', campaign: 'spring' };
    let response = await token(code);
    for (let refresh = 0; refresh < 2; refresh++) {
      expect(response).toEqual(issued(body));
      const { refresh_token } = response.body as Record<string, string>;
      response = await token({ grant_type: 'refresh_token', refresh_token: refresh_token! });
    }
    const authorization = `Bearer ${(response.body as Record<string, string>)['access_token']}`;
    expect(await readResponse(get(`${url}/notes`, { authorization }))).toMatchObject({ status: 200 });
    running.delete('spring');
    expect(await readResponse(get(`${url}/notes`, { authorization }))).toMatchObject({
      status: 401,
      body: refusalBody(401, 'invalid_token', 'Invalid token: its campaign has ended'),
    });
  });

  it('returns an error about its parameter to the client', async () => {
    const { url } = await start();
    const { headers } = await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, campaign: 'autumn' }, 'alice');
    const { searchParams } = new URL(headers['location']!);
    expect(searchParams.get('error')).toBe('invalid_request');
    expect(searchParams.get('error_description')).toBe('Invalid parameter: `campaign`');
  });

  it('extends the server metadata', async () => {
    const { url } = await start();
    const { body } = await readResponse(get(`${url}/.well-known/oauth-authorization-server`));
    expect(body).toMatchObject({
      voucher_endpoint: `${ISSUER}/oauth/voucher`,
      campaigns_supported: ['spring'],
      grant_types_supported: expect.arrayContaining([VOUCHER, 'authorization_code']),
    });
  });
});
