import fastifyHelmet from '@fastify/helmet';
import type { INestApplication } from '@nestjs/common';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import helmet from 'helmet';
import * as oauth from 'oauth4webapi';
import { formPost, serverMetadata } from 'nest-oauth2/features';

import { WEB, WEB_SECRET } from '../../support/clients/client.js';
import { openConsentPage, pageOf } from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, CALLBACK, demoModule } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { type HttpResponse, readResponse, post } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { postedForm } from '../../support/clients/posted-form.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const POSTED = { ...AUTHORIZATION_PARAMETERS, response_mode: 'form_post' };

const SCOPES: Record<string, string> = { allow: 'notes:write', deny: 'notes:read' };

describe.each(PLATFORMS)('authorization responses in form_post mode on %s', (platform) => {
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const prepare = (app: INestApplication) =>
      platform === 'express'
        ? app.use(helmet())
        : (app.getHttpAdapter() as FastifyAdapter).register(fastifyHelmet as never, {});
    await startApplication(platform, demoModule({ features: [serverMetadata(), formPost()], issuer: url }), {
      port,
      prepare,
    });
  });
  afterAll(stopApplications);

  const decided = async (decision: string): Promise<HttpResponse> => {
    const page = await openConsentPage(url, { ...POSTED, scope: SCOPES[decision]! }, 'bob');
    // The consent page is skipped once the user has agreed.
    if (!String(page.body).includes('csrf_token')) return page;
    const { action, csrf_token: csrfToken } = pageOf(page);
    return readResponse(post(url + action, { csrf_token: csrfToken, decision }, { cookie: 'user=bob' }));
  };

  it('deliver a code that an independent client validates and redeems', async () => {
    const found = await oauth.discoveryRequest(new URL(url), { algorithm: 'oauth2', ...insecure });
    const as = await oauth.processDiscoveryResponse(new URL(url), found);
    expect(as.response_modes_supported).toEqual(['query', 'fragment', 'form_post']);
    const { status, body } = await decided('allow');
    expect(status).toBe(200);
    const { action, fields } = postedForm(body);
    expect(action).toBe(CALLBACK);
    const callback = oauth.validateAuthResponse(as, WEB, new URLSearchParams(fields), 'xyz');
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      WEB,
      WEB_SECRET,
      callback,
      CALLBACK,
      oauth.nopkce,
      insecure,
    );
    expect(await oauth.processAuthorizationCodeResponse(as, WEB, response)).toMatchObject({ scope: 'notes:write' });
  });

  it('deliver access_denied and invalid_scope errors', async () => {
    const { status, body } = await decided('deny');
    expect([status, postedForm(body).fields]).toEqual([
      200,
      { error: 'access_denied', error_description: expect.any(String), state: 'xyz', iss: url },
    ]);
    const refused = await openConsentPage(url, { ...POSTED, scope: 'nonsense' }, 'bob');
    expect([refused.status, postedForm(refused.body).fields['error']]).toEqual([200, 'invalid_scope']);
  });

  it('have their own content security policy, regardless of the application’s', async () => {
    const { headers } = await decided('allow');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]+'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  it('are replaced by an error page if the redirect URI is not registered', async () => {
    const { status, body } = await openConsentPage(url, { ...POSTED, redirect_uri: 'https://evil.example/' }, 'bob');
    expect({ status, body }).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
  });
});
