import { afterEach, describe, expect, it } from '@jest/globals';
import { DECIDED_WITH_CODE, openConsentPage, PAGE_HEADERS, pageOf, redirected } from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, DemoInteraction, demoModule } from '../../support/servers/demo.js';
import { readResponse, get, NO_STORE, post } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const asAlice = { cookie: 'user=alice' };

const failure = (status: number) => ({
  status,
  headers: NO_STORE,
  body: {
    error: 'server_error',
    error_description: 'Server error: the request could not be handled; the server log has the reason',
  },
});

describe.each(PLATFORMS)('the interaction of an application on %s', (platform) => {
  afterEach(stopApplications);

  it.each([
    ['throws', 503, { findUser: () => Promise.reject(new Error('SELECT * FROM users')) }],
    ['finds a user without an id', 500, { findUser: () => ({ name: 'nobody' }) }],
    ['returns nothing from consent()', 500, { consent: () => undefined }],
    ['returns neither a page nor a redirect', 500, { consent: () => ({ redirect: undefined }) }],
  ])('causes a server_error without details if it %s', async (_name, status, methods) => {
    const faulty = Object.assign(new DemoInteraction(), methods) as DemoInteraction;
    const { url } = await startApplication(platform, demoModule({ interaction: faulty }));
    expect(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice')).toEqual(failure(status));
  });

  it('may set the headers of its page, and characters that headers do not allow are encoded in its redirect URL', async () => {
    const own = Object.assign(new DemoInteraction(), {
      consent: () => ({ html: '<p>ü', status: 403, headers: { 'Content-Security-Policy': "default-src 'self'" } }),
      login: () => ({ redirect: '/anmelden?zurück=\r\nset-cookie: a' }),
    });
    const { url } = await startApplication(platform, demoModule({ interaction: own }));
    const headers = { ...PAGE_HEADERS, 'content-security-policy': "default-src 'self'" };
    expect(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice')).toEqual({
      status: 403,
      headers,
      body: '<p>ü',
    });
    expect(await openConsentPage(url, AUTHORIZATION_PARAMETERS)).toEqual(
      redirected('/anmelden?zur%C3%BCck=%0D%0Aset-cookie:%20a'),
    );
  });

  it('is asked for the consent page each time if it has no hasConsented(), or if hasConsented() does not return true', async () => {
    const forgetful = Object.assign(new DemoInteraction(), { hasConsented: undefined, saveConsent: undefined });
    const vague = Object.assign(new DemoInteraction(), { hasConsented: () => [] });
    for (const interaction of [forgetful, vague]) {
      const { url } = await startApplication(platform, demoModule({ interaction: interaction as never }));
      const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
      expect(await readResponse(post(url + action, { csrf_token: csrfToken, decision: 'allow' }, asAlice))).toEqual(
        DECIDED_WITH_CODE,
      );
      pageOf(await readResponse(get(url + action, asAlice)));
    }
  });
});
