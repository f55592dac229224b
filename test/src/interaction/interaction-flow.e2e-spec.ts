import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OAUTH2_INTERACTION, type OAuthError } from 'nest-oauth2';
import {
  DECIDED_WITH_CODE,
  openConsentPage,
  PAGE_HEADERS,
  pageOf,
  redirected,
  REDIRECTED_WITH_CODE,
} from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, CALLBACK, DemoInteraction, demoModule } from '../../support/servers/demo.js';
import { readResponse, post } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const asAlice = { cookie: 'user=alice' };

describe.each(PLATFORMS)('login and consent at the authorization endpoint on %s', (platform) => {
  let url: string;
  let interaction: DemoInteraction;

  beforeEach(async () => {
    const host = await startApplication(platform, demoModule());
    url = host.url;
    interaction = host.app.get(OAUTH2_INTERACTION, { strict: false });
  });
  afterEach(stopApplications);

  it('redirect a signed-out user to the login page with a return URL', async () => {
    const query = new URLSearchParams(AUTHORIZATION_PARAMETERS).toString();
    const login = `/login?return_to=${encodeURIComponent(`/oauth/authorize?${query}`)}`;
    expect(await openConsentPage(url, AUTHORIZATION_PARAMETERS)).toEqual(redirected(login));
    expect(interaction.contexts[0]).toMatchObject({
      authorization: {
        client: { id: 'web' },
        redirectUri: CALLBACK,
        responseType: 'code',
        requestedScope: 'notes:read',
        state: 'xyz',
      },
      returnTo: `/oauth/authorize?${query}`,
    });
  });

  it('return invalid_scope without a login if the client may not use the requested scope', async () => {
    const { status, headers } = await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, scope: 'nonsense' });
    expect(status).toBe(302);
    expect(headers['location']).toMatch(/\?error=invalid_scope&/);
    expect(interaction.contexts).toEqual([]);
  });

  it('show a consent page that is not cached and not framed', async () => {
    const response = await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice');
    expect(response).toEqual({ status: 200, headers: PAGE_HEADERS, body: expect.any(String) });
    expect(pageOf(response)).toEqual({
      user: 'alice',
      client: 'web',
      scope: 'notes:read',
      action: `/oauth/authorize?${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}`,
      csrf_token: expect.stringMatching(/^[\w-]+\.[\w-]{43}$/),
    });
  });

  it('return a code to the client when the user allows, and remember the consent', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    expect(await readResponse(post(url + action, { csrf_token: csrfToken, decision: 'allow' }, asAlice))).toEqual(
      DECIDED_WITH_CODE,
    );
    expect([...interaction.consents]).toEqual(['alice web notes:read']);
    expect(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice')).toEqual(REDIRECTED_WITH_CODE);
  });

  it('return an error to the client when the user denies, and remember nothing', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const description = encodeURIComponent('Access denied: user denied access to application');
    expect(await readResponse(post(url + action, { csrf_token: csrfToken, decision: 'deny' }, asAlice))).toEqual(
      redirected(`${CALLBACK}?error=access_denied&error_description=${description}&state=xyz`, 303),
    );
    expect(interaction.consents.size).toBe(0);
  });

  it('ask again for a scope that the user has not consented to', async () => {
    interaction.consents.add('alice web notes:read');
    expect(
      pageOf(await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, scope: 'notes:write' }, 'alice')).scope,
    ).toBe('notes:write');
  });

  it('accept an authorization request sent as a form, and always show the consent page', async () => {
    interaction.consents.add('alice web notes:read');
    const { action, csrf_token: csrfToken } = pageOf(
      await readResponse(post(`${url}/oauth/authorize`, AUTHORIZATION_PARAMETERS, asAlice)),
    );
    expect(action).toBe(`/oauth/authorize?${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}`);
    expect(await readResponse(post(url + action, { csrf_token: csrfToken, decision: 'allow' }, asAlice))).toEqual(
      DECIDED_WITH_CODE,
    );
  });

  it('redirect with status 303 after each POST request, also to the login page or with an error', async () => {
    expect((await readResponse(post(`${url}/oauth/authorize`, AUTHORIZATION_PARAMETERS))).status).toBe(303);
    const wrong = { ...AUTHORIZATION_PARAMETERS, scope: 'nonsense' };
    expect((await readResponse(post(`${url}/oauth/authorize`, wrong, asAlice))).status).toBe(303);
    expect((await openConsentPage(url, wrong, 'alice')).status).toBe(302);
  });

  it('return errors in the request before the user has to sign in', async () => {
    const response = await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, response_type: 'nonsense' });
    const description = encodeURIComponent('Unsupported response type: `response_type` is not supported');
    expect(response).toEqual(
      redirected(`${CALLBACK}?error=unsupported_response_type&error_description=${description}&state=xyz`),
    );
    expect(interaction.contexts).toEqual([]);
  });

  it('ask for the scope that the model would grant if the request has none', async () => {
    const { scope: _, ...unspecific } = AUTHORIZATION_PARAMETERS;
    expect(pageOf(await openConsentPage(url, unspecific, 'alice')).scope).toBe('notes:read notes:write');
  });

  it('return invalid_scope without asking the user if the model would not grant the scope', async () => {
    const description = encodeURIComponent('Invalid scope: Requested scope is invalid');
    expect(await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, scope: 'nonsense' }, 'alice')).toEqual(
      redirected(`${CALLBACK}?error=invalid_scope&error_description=${description}&state=xyz`),
    );
  });

  it('show the application’s own error page if the error cannot be returned to a client', async () => {
    const showError = (error: OAuthError) => ({ html: `<p>${error.name}` });
    const host = await startApplication(
      platform,
      demoModule({ interaction: Object.assign(new DemoInteraction(), { showError }) }),
    );
    expect(
      await openConsentPage(host.url, { ...AUTHORIZATION_PARAMETERS, redirect_uri: 'https://evil.example/' }),
    ).toEqual({
      status: 400,
      headers: PAGE_HEADERS,
      body: '<p>invalid_client',
    });
  });

  it('pass a local `returnTo` to the interaction even if the request line has another host (open redirect)', async () => {
    const { app } = await startApplication(platform, demoModule());
    const found: DemoInteraction = app.get(OAUTH2_INTERACTION, { strict: false });
    const { request } = await import('node:http');
    const { port } = app.getHttpServer().address();
    const path = `http://evil.example/oauth/authorize?${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}`;
    await new Promise<void>((resolve, reject) => {
      request({ port, host: '127.0.0.1', path }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end();
    });
    expect(found.contexts[0]?.returnTo).toMatch(/^\/oauth\/authorize\?/);
  });
});
