import { Injectable, Scope } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { seconds, ThrottlerGuard, ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { claimedClient, type NativeRequest } from 'nest-oauth2';
import { revocation } from 'nest-oauth2/features';
import * as oauth from 'oauth4webapi';
import { WrappingInterceptor, CatchAllFilter } from '../support/servers/global-enhancers.js';
import { AUTHORIZATION_PARAMETERS, CALLBACK, DemoInteraction, demoModule, demoStore } from '../support/servers/demo.js';
import { readResponse, basic, get, issued, post } from '../support/clients/http.js';
import {
  PLATFORMS,
  startApplication,
  stopApplications,
  type TestApplicationOptions,
  type Platform,
} from '../support/servers/test-application.js';

const form = { grant_type: 'client_credentials', scope: 'notes:read' };
const web = basic('web', 'web-secret');

/** The configuration that docs/reference/operations.md recommends, with smaller limits. */
const ADVISED: ThrottlerModuleOptions = [
  { name: 'default', ttl: seconds(60), limit: 6 },
  {
    name: 'client',
    ttl: seconds(60),
    limit: 2,
    getTracker: (request) => `${request['ip']} ${claimedClient(request as NativeRequest)}`,
  },
];

function start(platform: Platform, throttlers = ADVISED, options: TestApplicationOptions = {}, module = demoModule()) {
  const guard = { provide: APP_GUARD, useClass: ThrottlerGuard };
  const imports = [...module.imports!, ThrottlerModule.forRoot(throttlers)];
  return startApplication(platform, { ...module, imports, providers: [guard, ...(module.providers ?? [])] }, options);
}

const throttled = {
  status: 429,
  headers: expect.objectContaining({
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'retry-after': expect.stringMatching(/^(?:60|5\d)$/),
  }) as unknown,
  body: { error: 'temporarily_unavailable', error_description: 'ThrottlerException: Too Many Requests' },
};

describe.each(PLATFORMS)('rate limits of @nestjs/throttler on %s', (platform) => {
  afterEach(stopApplications);

  it('count a client per address by any method of client authentication, without limiting others', async () => {
    const { url } = await start(platform);
    const ask = (body: object, headers = {}) => readResponse(post(`${url}/oauth/token`, { ...form, ...body }, headers));
    expect(await ask({}, web)).toMatchObject({ status: 200, body: issued({ scope: 'notes:read' }).body });
    expect((await ask({ client_id: 'web', client_secret: 'wrong' })).status).toBe(401);
    expect(await ask({}, web)).toEqual(throttled);
    expect((await ask({}, basic('hasty', 'hasty-secret'))).status).toBe(200);
  });

  it('count each address too, so that invented client ids do not evade the limit', async () => {
    const { url } = await start(platform);
    const statuses: number[] = [];
    for (let made = 0; made < 8; made += 1) {
      statuses.push((await post(`${url}/oauth/token`, form, basic(`made up ${made}`, 'x'))).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429]);
  });

  it('count each endpoint separately', async () => {
    const { url } = await start(
      platform,
      [{ ttl: seconds(60), limit: 1 }],
      {},
      demoModule({ features: [revocation()] }),
    );
    expect((await post(`${url}/oauth/token`, form, web)).status).toBe(200);
    expect((await post(`${url}/oauth/revoke`, { token: 'x' }, web)).status).toBe(200);
    expect(
      (await get(`${url}/oauth/authorize?${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}`)).status,
    ).toBe(302);
    expect((await post(`${url}/oauth/revoke`, { token: 'x' }, web)).status).toBe(429);
  });

  it('can be set for an endpoint by its handler name', async () => {
    const limit = (context: { getHandler(): { name: string } }) => (context.getHandler().name === 'token' ? 1 : 3);
    const { url } = await start(platform, [{ ttl: seconds(60), limit }]);
    const ask = async () => (await post(`${url}/oauth/token`, form, web)).status;
    expect([await ask(), await ask()]).toEqual([200, 429]);
    const visit = async () => (await get(`${url}/oauth/authorize`)).status;
    expect([await visit(), await visit(), await visit(), await visit()]).toEqual([400, 400, 400, 429]);
  });

  it('cause an error that an independent client understands', async () => {
    const { url } = await start(platform, [{ ttl: seconds(60), limit: 0 }]);
    const server = { issuer: url, token_endpoint: `${url}/oauth/token` };
    const client = { client_id: 'web' };
    const insecure = { [oauth.allowInsecureRequests]: true };
    const secret = oauth.ClientSecretBasic('web-secret');
    const response = await oauth.clientCredentialsGrantRequest(server, client, secret, {}, insecure);
    await expect(oauth.processClientCredentialsResponse(server, client, response)).rejects.toMatchObject({
      name: 'ResponseBodyError',
      status: 429,
      error: 'temporarily_unavailable',
    });
  });

  it('cause an error that cross-origin requests can read only from origins allowed by `cors`', async () => {
    const module = demoModule({ cors: { origins: ['https://app.example', 'https://other.example'] } });
    const { url } = await start(platform, [{ ttl: seconds(60), limit: 0 }], {}, module);
    const from = (origin: string) => readResponse(post(`${url}/oauth/token`, form, { ...web, origin }));
    expect((await from(new URL(CALLBACK).origin)).headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
    });
    expect((await from('https://evil.example')).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('cause an error on the application’s own error page in a browser', async () => {
    class WithErrors extends DemoInteraction {
      showError({ message, status }: { message: string; status: number }) {
        return { html: `<h1>${status}: ${message}</h1>` };
      }
    }
    const module = demoModule({ interaction: WithErrors });
    const { url } = await start(platform, [{ ttl: seconds(60), limit: 0 }], {}, module);
    expect(
      await readResponse(get(`${url}/oauth/authorize?${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}`)),
    ).toMatchObject({
      status: 429,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'retry-after': expect.stringMatching(/^(?:60|5\d)$/),
        'x-frame-options': 'DENY',
      },
      body: '<h1>429: ThrottlerException: Too Many Requests</h1>',
    });
  });

  it('cause a plain error if the application’s error page fails, and if the model is request-scoped', async () => {
    class Failing extends DemoInteraction {
      showError(): never {
        throw new Error('no page today');
      }
    }
    const store = demoStore();
    class TenantModel {
      constructor() {
        return Object.create(store) as TenantModel;
      }
    }
    Injectable({ scope: Scope.REQUEST })(TenantModel);
    const module = demoModule({ interaction: Failing, model: TenantModel as never });
    const { url } = await start(platform, [{ ttl: seconds(60), limit: 1 }], {}, module);
    expect((await readResponse(post(`${url}/oauth/token`, form, web))).status).toBe(200);
    expect(await readResponse(post(`${url}/oauth/token`, form, web))).toEqual(throttled);
    expect((await get(`${url}/oauth/authorize`)).status).toBe(400);
    expect(await readResponse(get(`${url}/oauth/authorize`))).toEqual(throttled);
  });

  it('keep the application’s error format for its own routes', async () => {
    const { url } = await start(platform, [{ ttl: seconds(60), limit: 0 }], {
      prepare: (app) => app.useGlobalFilters(new CatchAllFilter()).useGlobalInterceptors(new WrappingInterceptor()),
    });
    expect(await readResponse(post(`${url}/oauth/token`, form, web))).toEqual(throttled);
    expect((await readResponse(get(`${url}/notes`))).body).toMatchObject({ success: false });
  });

  it('emit an event with the rejected client', async () => {
    const emit = jest.fn();
    const { url } = await start(platform, [{ ttl: seconds(60), limit: 0 }], {}, demoModule({ events: { emit } }));
    await post(`${url}/oauth/token`, form, web);
    const refusal = { endpoint: 'token', error: 'temporarily_unavailable', status: 429 };
    expect(emit).toHaveBeenCalledWith('token.refused', expect.objectContaining(refusal));
  });
});
