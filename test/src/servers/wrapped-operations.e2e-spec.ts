import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Context, OAuth2Module, type OAuth2Options, OAuth2Server } from 'nest-oauth2';
import { revocation, type Instrumentation } from 'nest-oauth2/features';
import { Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { basic, post } from '../../support/clients/http.js';
import { startApplication, stopApplications } from '../../support/servers/test-application.js';

const CALLBACK = 'https://app.example/callback';
const credentials = basic('web', 'web-secret');

const store = () =>
  new MemoryStore({
    clients: [
      {
        id: 'web',
        secret: 'web-secret',
        grants: ['authorization_code'],
        redirectUris: [CALLBACK],
        scopes: ['read'],
      },
    ],
    users: { findById: (id) => ({ id }), findByCredentials: () => undefined },
  });

/** Returns an instrumentation that records each operation and the context during it. */
function recorder(record: unknown[], context = new OAuth2Context()): Instrumentation {
  return {
    async around({ name }, run) {
      record.push([name, context.tenant, context.issuer]);
      return run();
    },
  };
}

const authorizationRequest = (path: string) =>
  new Request({
    method: 'GET',
    headers: {},
    query: { response_type: 'code', client_id: 'web', redirect_uri: CALLBACK, scope: 'read', state: 'xyz' },
    native: { url: path },
  });

describe('the operations of OAuth2Module', () => {
  afterEach(stopApplications);

  it('run inside the instrumentation that the factory of forRootAsync() returns', async () => {
    const record: unknown[] = [];
    const useFactory = (): OAuth2Options => ({
      model: store(),
      issuer: 'https://id.example',
      instrumentation: recorder(record),
    });
    const { url } = await startApplication('express', { imports: [OAuth2Module.forRootAsync({ useFactory })] });
    await post(`${url}/oauth/token`, { grant_type: 'refresh_token' }, credentials);
    expect(record).toEqual([['token', undefined, 'https://id.example']]);
  });

  it('stop the application with advice if an instrumentation is listed in `features`', async () => {
    const features = [{ around: () => undefined }] as never;
    const start = startApplication('express', { imports: [OAuth2Module.forRoot({ model: store(), features })] });
    await expect(start).rejects.toThrow('as `instrumentation: telemetry()`');
  });
});

describe('the operations of a server with tenants', () => {
  afterEach(stopApplications);

  async function start() {
    const record: unknown[] = [];
    const ofAcme: unknown[] = [];
    const tenants = {
      findTenant: ({ path }: { path: string }) => path.split('/')[1],
      createTenantOptions: (tenant: string) =>
        ['acme', 'globex'].includes(tenant) && {
          issuer: `https://id.example/${tenant}`,
          ...(tenant === 'acme' && { instrumentation: recorder(ofAcme) }),
        },
    };
    const { app } = await startApplication('express', {
      imports: [
        OAuth2Module.forRoot({
          model: store(),
          tenants,
          features: [revocation()],
          paths: { prefix: ':tenant/oauth' },
          instrumentation: recorder(record),
        }),
      ],
    });
    return { server: app.get(OAuth2Server, { strict: false }), record, ofAcme };
  }

  it('run all phases of an authorization on the tenant that read the request, in its context', async () => {
    const { server, record, ofAcme } = await start();
    const response = new Response();
    const requested = await server.readAuthorizationRequest(authorizationRequest('/globex/oauth/authorize'), response);
    const user = { id: 'alice' };
    expect(await server.requiredInteraction(requested, { user }, response)).toEqual({});
    expect(await server.grantableScope(requested, user, response)).toBe('read');
    await server.decide(requested, { user }, response);
    expect(response.get('location')).toContain('iss=https%3A%2F%2Fid.example%2Fglobex');
    const names = ['read', 'interaction', 'scope', 'decide'];
    expect(record).toEqual(names.map((name) => [`authorize.${name}`, 'globex', 'https://id.example/globex']));
    expect(ofAcme).toEqual([]);
  });

  it('run inside the instrumentation of the tenant if it has its own', async () => {
    const { server, record, ofAcme } = await start();
    const native = { url: '/acme/oauth/revoke' };
    const request = new Request({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1', ...credentials },
      query: {},
      body: { token: 'unknown' },
      native,
    });
    await server.handle('revocation', request, new Response());
    expect([record, ofAcme]).toEqual([[], [['revocation', 'acme', 'https://id.example/acme']]]);
  });

  it('reject an authorization request that was not read before, and write the error to the response', async () => {
    const { server } = await start();
    const response = new Response();
    const unread = { request: authorizationRequest('/acme/oauth/authorize') } as never;
    await expect(server.decide(unread, {} as never, response)).rejects.toThrow(
      'this server has not read the authorization request',
    );
    expect(response.status).toBe(500);
  });

  it('call callbacks with the error of a request that belongs to no tenant', async () => {
    const { server, record } = await start();
    const reported = jest.fn();
    const response = new Response();
    const request = authorizationRequest('/nobody/oauth/authorize');
    await expect(server.authorize(request, response, reported)).rejects.toMatchObject({ status: 404 });
    await new Promise(setImmediate);
    expect(reported.mock.calls).toEqual([[expect.objectContaining({ status: 404 })]]);
    expect([response.status, record]).toEqual([404, []]);
  });
});
