import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OAUTH2_INTERACTION } from 'nest-oauth2';
import { DECIDED_WITH_CODE, openConsentPage, pageOf, redirected, REDIRECTED_WITH_CODE } from '../../support/consent.js';
import { AUTHORIZATION_PARAMETERS, type DemoInteraction, demoModule } from '../../support/demo.js';
import { readResponse, post } from '../../support/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/test-application.js';

const asAlice = { cookie: 'user=alice' };

describe.each(PLATFORMS)('a decision that is not the user’s on %s', (platform) => {
  let url: string;
  let interaction: DemoInteraction;

  beforeEach(async () => {
    const host = await startApplication(platform, demoModule());
    url = host.url;
    interaction = host.app.get(OAUTH2_INTERACTION, { strict: false });
  });
  afterEach(stopApplications);

  it.each([
    ['no ticket', {}],
    ['nonsense', { ticket: 'nonsense' }],
    ['an empty ticket', { ticket: '' }],
    ['dots', { ticket: '..' }],
  ])('decides nothing by a form with %s, which is what another site can send', async (_name, fields) => {
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

  it.each(['', 'yes', 'Allow', 'allow,deny', 'true'])('takes `%s` for no decision', async (decision) => {
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    pageOf(await readResponse(post(url + action, { ticket, decision }, asAlice)));
  });

  it('takes a repeated decision or ticket for none', async () => {
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const twice: [string, string][] = [['ticket', ticket], ['decision', 'deny'], ['decision', 'allow']]; // prettier-ignore
    pageOf(await readResponse(post(url + action, twice, asAlice)));
    const tickets: [string, string][] = [['ticket', ticket], ['ticket', ticket], ['decision', 'allow']]; // prettier-ignore
    pageOf(await readResponse(post(url + action, tickets, asAlice)));
  });

  it('asks anew when another user has signed in since, and sends to login when nobody is', async () => {
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const form = { ticket, decision: 'allow' };
    expect(pageOf(await readResponse(post(url + action, form, { cookie: 'user=bob' }))).user).toBe('bob');
    expect(await readResponse(post(url + action, form))).toEqual(redirected(expect.stringMatching(/^\/login\?/), 303));
  });

  it.each([
    ['client', { client_id: 'spa', code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }],
    ['scope', { scope: 'notes:write' }],
    ['state', { state: 'abc' }],
    ['challenge', { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }],
    ['further parameter', { nonce: 'other' }],
  ])('refuses a ticket that was made for another %s', async (_name, change) => {
    const { ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const { action } = pageOf(await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, ...change }, 'alice'));
    pageOf(await readResponse(post(url + action, { ticket, decision: 'allow' }, asAlice)));
  });

  it('reads the request from the URL alone: a form cannot switch what was shown', async () => {
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const switched = {
      ticket,
      decision: 'allow',
      scope: 'notes:write',
      state: 'abc',
      client_id: 'spa',
      allowed: 'false',
    };
    expect(await readResponse(post(url + action, switched, asAlice))).toEqual(DECIDED_WITH_CODE);
    expect([...interaction.consents]).toEqual(['alice web notes:read']);
  });

  it('lets no link decide, neither by `allowed` nor by a decision in the query', async () => {
    const { ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    pageOf(
      await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, ticket, decision: 'allow', allowed: 'true' }, 'alice'),
    );
    pageOf(await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, allowed: 'false' }, 'alice'));
    interaction.consents.add('alice web notes:read');
    expect(await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, allowed: 'false' }, 'alice')).toEqual(
      REDIRECTED_WITH_CODE,
    );
  });

  it('keeps a ticket good in another process and after a restart', async () => {
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    await stopApplications();
    const next = await startApplication(platform, demoModule());
    expect(await readResponse(post(next.url + action, { ticket, decision: 'allow' }, asAlice))).toEqual(
      DECIDED_WITH_CODE,
    );
  });

  it('refuses a ticket that another secret signed', async () => {
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    const other = await startApplication(platform, demoModule({ secret: 'another secret of thirty-two characters' }));
    pageOf(await readResponse(post(other.url + action, { ticket, decision: 'allow' }, asAlice)));
  });
});
