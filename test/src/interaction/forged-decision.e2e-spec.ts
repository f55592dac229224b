import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OAUTH2_INTERACTION } from 'nest-oauth2';
import {
  DECIDED_WITH_CODE,
  openConsentPage,
  pageOf,
  redirected,
  REDIRECTED_WITH_CODE,
} from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, type DemoInteraction, demoModule } from '../../support/servers/demo.js';
import { readResponse, post } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const asAlice = { cookie: 'user=alice' };

describe.each(PLATFORMS)('a consent decision at the authorization endpoint on %s', (platform) => {
  let url: string;
  let interaction: DemoInteraction;

  beforeEach(async () => {
    const host = await startApplication(platform, demoModule());
    url = host.url;
    interaction = host.app.get(OAUTH2_INTERACTION, { strict: false });
  });
  afterEach(stopApplications);

  it.each([
    ['no CSRF token', {}],
    ['a malformed CSRF token', { csrf_token: 'nonsense' }],
    ['an empty CSRF token', { csrf_token: '' }],
    ['only dots as CSRF token', { csrf_token: '..' }],
  ])('is ignored if the form has %s, as another site could send it', async (_name, fields) => {
    interaction.consents.add('alice web notes:read');
    const { action } = pageOf(
      await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, scope: 'notes:write' }, 'alice'),
    );
    const remembered = action.replace('write', 'read');
    for (const target of [action, remembered]) {
      pageOf(await readResponse(post(url + target, { ...fields, decision: 'allow' }, asAlice)));
      pageOf(await readResponse(post(url + target, { ...fields, decision: 'deny' }, asAlice)));
    }
  });

  it.each(['', 'yes', 'Allow', 'allow,deny', 'true'])(
    'is ignored if its value is `%s` instead of `allow` or `deny`',
    async (decision) => {
      const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
      pageOf(await readResponse(post(url + action, { csrf_token: csrfToken, decision }, asAlice)));
    },
  );

  it('is ignored if the decision or the CSRF token is repeated', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const twice: [string, string][] = [['csrf_token', csrfToken], ['decision', 'deny'], ['decision', 'allow']]; // prettier-ignore
    pageOf(await readResponse(post(url + action, twice, asAlice)));
    const csrfTokens: [string, string][] = [['csrf_token', csrfToken], ['csrf_token', csrfToken], ['decision', 'allow']]; // prettier-ignore
    pageOf(await readResponse(post(url + action, csrfTokens, asAlice)));
  });

  it('is ignored if another user has signed in meanwhile, and redirects to the login if no user is signed in', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const form = { csrf_token: csrfToken, decision: 'allow' };
    expect(pageOf(await readResponse(post(url + action, form, { cookie: 'user=bob' }))).user).toBe('bob');
    expect(await readResponse(post(url + action, form))).toEqual(redirected(expect.stringMatching(/^\/login\?/), 303));
  });

  it.each([
    ['client', { client_id: 'spa', code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }],
    ['scope', { scope: 'notes:write' }],
    ['state', { state: 'abc' }],
    [
      'PKCE challenge',
      { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
    ],
    ['nonce', { nonce: 'other' }],
  ])('is ignored if the CSRF token was issued for another %s', async (_name, change) => {
    const { csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const { action } = pageOf(await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, ...change }, 'alice'));
    pageOf(await readResponse(post(url + action, { csrf_token: csrfToken, decision: 'allow' }, asAlice)));
  });

  it('applies to the request in the URL, which form fields cannot change', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const switched = {
      csrf_token: csrfToken,
      decision: 'allow',
      scope: 'notes:write',
      state: 'abc',
      client_id: 'spa',
      allowed: 'false',
    };
    expect(await readResponse(post(url + action, switched, asAlice))).toEqual(DECIDED_WITH_CODE);
    expect([...interaction.consents]).toEqual(['alice web notes:read']);
  });

  it('cannot be made by a link, neither with `allowed` nor with `decision` in the query', async () => {
    const { csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    pageOf(
      await openConsentPage(
        url,
        { ...AUTHORIZATION_PARAMETERS, csrf_token: csrfToken, decision: 'allow', allowed: 'true' },
        'alice',
      ),
    );
    pageOf(await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, allowed: 'false' }, 'alice'));
    interaction.consents.add('alice web notes:read');
    expect(await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, allowed: 'false' }, 'alice')).toEqual(
      REDIRECTED_WITH_CODE,
    );
  });

  it('is accepted with a CSRF token issued by another process before a restart', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    await stopApplications();
    const next = await startApplication(platform, demoModule());
    expect(await readResponse(post(next.url + action, { csrf_token: csrfToken, decision: 'allow' }, asAlice))).toEqual(
      DECIDED_WITH_CODE,
    );
  });

  it('is ignored if the CSRF token is signed with another secret', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const other = await startApplication(platform, demoModule({ secret: 'another secret of thirty-two characters' }));
    pageOf(await readResponse(post(other.url + action, { csrf_token: csrfToken, decision: 'allow' }, asAlice)));
  });
});
