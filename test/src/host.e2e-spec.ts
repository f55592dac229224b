import { Controller, Get, Inject, Injectable, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CurrentUser, type NativeRequest, OAuth2Module, Public } from 'nest-oauth2';
import { GLOBAL_ENHANCERS, CountingGuard } from '../support/servers/global-enhancers.js';
import { decide, openConsentPage, pageOf } from '../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, demoModule, demoStore, NotesController } from '../support/servers/demo.js';
import {
  readResponse,
  basic,
  bearer,
  get,
  issued,
  NO_STORE,
  post,
  refusalBody,
  expectedRefusal,
} from '../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

const credentials = basic('web', 'web-secret');
const form = { grant_type: 'client_credentials', scope: 'notes:read' };

const tooLarge = expectedRefusal('invalid_request', 'Invalid request: content is too large', 413);
const notForm = expectedRefusal(
  'invalid_request',
  'Invalid request: content must be application/x-www-form-urlencoded',
);

@Controller('open')
class OpenController {
  @Get('all')
  @Public()
  all(@CurrentUser({ optional: true }) user: unknown) {
    return { user: user ?? null };
  }

  @Get('closed')
  closed(@CurrentUser('id', { optional: true }) user: string | undefined) {
    return { user };
  }
}

describe.each(PLATFORMS)('an application on %s', (platform) => {
  afterEach(stopApplications);

  it('has OAuth endpoints that its global pipes, interceptors, filters and OAuthGuard do not affect', async () => {
    const { url } = await startApplication(platform, {
      ...demoModule(),
      providers: GLOBAL_ENHANCERS,
      controllers: [OpenController],
    });
    const response = await readResponse(post(`${url}/oauth/token`, form, credentials));
    expect(response).toEqual(issued({ scope: 'notes:read' }));
    expect(await readResponse(post(`${url}/oauth/token`, { ...form, scope: 'nonsense' }, credentials))).toEqual(
      expectedRefusal('invalid_scope', 'Invalid scope: Requested scope is invalid'),
    );
    expect((await readResponse(get(`${url}/oauth/token`))).status).toBe(405);
    expect(await readResponse(post(`${url}/oauth/token`, { a: 'x'.repeat(2 ** 20) }))).toEqual(tooLarge);
    expect(await readResponse(post(`${url}/oauth/token`, '{', { 'content-type': 'application/json' }))).toEqual(
      notForm,
    );
    expect(pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice')).client).toBe('web');
    const landed = await decide(url, AUTHORIZATION_PARAMETERS, 'alice', 'allow');
    expect(landed.href).toMatch(/^https:\/\/app\.example\/callback\?code=[\da-f]{64}&state=xyz$/);
  });

  it('can use OAuthGuard globally, with public routes', async () => {
    const { url } = await startApplication(platform, {
      ...demoModule(),
      providers: GLOBAL_ENHANCERS,
      controllers: [OpenController],
    });
    const before = CountingGuard.count;
    expect((await readResponse(get(`${url}/open/all`))).body).toEqual({ success: true, data: { user: null } });
    expect(await readResponse(get(`${url}/open/closed`))).toEqual({
      status: 401,
      headers: { 'content-type': NO_STORE['content-type'], 'www-authenticate': 'Bearer realm="Service"' },
      body: {
        success: false,
        reason: refusalBody(401, 'unauthorized_request', 'Unauthorized request: no authentication given'),
      },
    });
    const { body } = await readResponse(post(`${url}/oauth/token`, form, credentials));
    const { access_token: token } = body as { access_token: string };
    expect((await readResponse(get(`${url}/open/closed`, bearer(token)))).body).toEqual({
      success: true,
      data: {},
    });
    // An unrelated global guard, such as a rate limiter, also runs for the token endpoint.
    expect(CountingGuard.count - before).toBe(4);
  });

  it('can run without a body parser', async () => {
    const { url } = await startApplication(platform, demoModule(), { bodyParser: false });
    expect(await readResponse(post(`${url}/oauth/token`, form, credentials))).toEqual(issued({ scope: 'notes:read' }));
    expect(await readResponse(post(`${url}/oauth/token`, { a: 'x'.repeat(2 ** 20) }))).toEqual(tooLarge);
    expect(await readResponse(post(`${url}/oauth/token`, '{"a":1}', { 'content-type': 'application/json' }))).toEqual(
      notForm,
    );
    const twice = 'grant_type=client_credentials&grant_type=client_credentials';
    expect(await readResponse(post(`${url}/oauth/token`, twice, credentials))).toEqual(
      expectedRefusal('invalid_request', 'Repeated parameter: `grant_type`'),
    );
    const landed = await decide(url, AUTHORIZATION_PARAMETERS, 'alice', 'allow');
    expect(landed.searchParams.get('code')).toMatch(/^[\da-f]{64}$/);
    const { status } = await readResponse(post(`${url}/oauth/token`, '__proto__=1&%ZZ=%&=&', credentials));
    expect(status).toBe(400);
  });

  it('can have a request-scoped model, for example one per tenant', async () => {
    const store = demoStore();
    const tenants: unknown[] = [];

    @Injectable({ scope: Scope.REQUEST })
    class TenantModel {
      constructor(@Inject(REQUEST) request: NativeRequest) {
        tenants.push(request.headers['x-tenant']);
        return Object.create(store) as TenantModel;
      }
    }
    const { url } = await startApplication(platform, {
      imports: [OAuth2Module.forRoot({ model: TenantModel as never })],
      controllers: [NotesController],
    });
    const response = await readResponse(post(`${url}/oauth/token`, form, { ...credentials, 'x-tenant': 'a' }));
    expect(response).toEqual(issued({ scope: 'notes:read' }));
    const { access_token: token } = response.body as { access_token: string };
    expect((await get(`${url}/notes`, { ...bearer(token), 'x-tenant': 'b' })).status).toBe(200);
    expect(new Set(tenants)).toEqual(new Set(['a', 'b']));
  });
});

describe('an application on fastify', () => {
  afterEach(stopApplications);

  it('can register its own form parser, even without awaiting it', async () => {
    const type = 'application/x-www-form-urlencoded';
    const parser = Object.assign(
      (instance: FastifyInstance, _options: unknown, done: () => void) => {
        instance.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, parsed) => {
          parsed(null, Object.fromEntries(new URLSearchParams(body as string)));
        });
        done();
      },
      { [Symbol.for('skip-override')]: true },
    );
    const { url } = await startApplication('fastify', demoModule(), {
      bodyParser: false,
      prepare: (app) => {
        void (app as NestFastifyApplication).register(parser as never);
      },
    });
    expect(await readResponse(post(`${url}/oauth/token`, form, credentials))).toEqual(issued({ scope: 'notes:read' }));
  });
});
