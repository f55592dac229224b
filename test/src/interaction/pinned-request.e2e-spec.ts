import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OAUTH2_INTERACTION } from 'nest-oauth2';
import type { EventSink } from 'nest-oauth2/server';
import {
  DECIDED_WITH_CODE,
  openConsentPage,
  pageOf,
  redirected,
  REDIRECTED_WITH_CODE,
} from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, type DemoInteraction, demoModule } from '../../support/servers/demo.js';
import { readResponse, post } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { type PinnedRequests, pinnedRequests } from '../../support/clients/pinned-requests.js';

const asAlice = { cookie: 'user=alice' };
const BY_URI = { client_id: 'web', request_uri: 'urn:example:1' };

describe.each(ANY_PLATFORM)('consent to an authorization request stored by the server, on %s,', (platform) => {
  let url: string;
  let pins: PinnedRequests;
  let interaction: DemoInteraction;
  const events: [string, Record<string, unknown>][] = [];
  const sink: EventSink = { emit: (name, payload) => events.push([name, { ...payload }]) };

  beforeEach(async () => {
    pins = pinnedRequests();
    pins.pinned.set(BY_URI.request_uri, { ...AUTHORIZATION_PARAMETERS });
    const host = await startApplication(platform, demoModule({ features: [pins.feature], events: sink }));
    url = host.url;
    interaction = host.app.get(OAUTH2_INTERACTION, { strict: false });
    events.length = 0;
  });
  afterEach(stopApplications);

  const decide = (action: string, fields: object) =>
    readResponse(post(url + action, { decision: 'allow', ...fields }, asAlice));

  it('shows the stored parameters, posts to the short URL, and can be decided only once', async () => {
    const { action, csrf_token: csrfToken, scope } = pageOf(await openConsentPage(url, BY_URI, 'alice'));
    expect([action, scope]).toEqual([`/oauth/authorize?${new URLSearchParams(BY_URI).toString()}`, 'notes:read']);
    expect(pins.consumed.size).toBe(0);
    expect(await decide(action, { csrf_token: csrfToken })).toEqual(DECIDED_WITH_CODE);
    expect([...pins.consumed.values()]).toEqual([1]);

    const again = await openConsentPage(url, BY_URI, 'alice');
    expect([again.status, again.headers['location']]).toEqual([400, undefined]);
    expect(again.body).toMatchObject({ error: 'invalid_request' });
  });

  it('is ignored if the stored parameters changed after the page was shown', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, BY_URI, 'alice'));
    pins.pinned.set(BY_URI.request_uri, { ...AUTHORIZATION_PARAMETERS, state: 'another' });
    expect(pageOf(await decide(action, { csrf_token: csrfToken })).csrf_token).not.toBe(csrfToken);
    expect(pins.consumed.size).toBe(0);
    pins.pinned.set(BY_URI.request_uri, { ...AUTHORIZATION_PARAMETERS });
    expect(await decide(action, { csrf_token: csrfToken })).toEqual(DECIDED_WITH_CODE);
  });

  it('is ignored with the CSRF token of an equal request whose parameters are in the URL, and vice versa', async () => {
    const [kept, plain] = [
      pageOf(await openConsentPage(url, BY_URI, 'alice')),
      pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice')),
    ];
    pageOf(await decide(kept.action, { csrf_token: plain.csrf_token }));
    pageOf(await decide(plain.action, { csrf_token: kept.csrf_token }));
    expect(pins.consumed.size).toBe(0);
  });

  it('consumes the request when the user denies it, and emits `consent.denied` with the user id', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, BY_URI, 'alice'));
    const response = await decide(action, { csrf_token: csrfToken, decision: 'deny' });
    expect(response).toEqual(redirected(expect.stringMatching(/error=access_denied&.*&state=xyz$/), 303));
    expect([...pins.consumed.values()]).toEqual([1]);
    const denial = {
      clientId: 'web',
      userId: 'alice',
      error: 'access_denied',
      responseType: 'code',
      scope: 'notes:read',
    };
    expect(events).toEqual([['consent.denied', expect.objectContaining(denial)]]);
  });

  it('consumes the request without a page if the user consented before', async () => {
    interaction.consents.add('alice web notes:read');
    expect(await openConsentPage(url, BY_URI, 'alice')).toEqual(REDIRECTED_WITH_CODE);
    expect([...pins.consumed.values()]).toEqual([1]);
    expect((await openConsentPage(url, BY_URI, 'alice')).status).toBe(400);
  });

  it('works for a request whose request_uri is posted as a form', async () => {
    const { action, csrf_token: csrfToken } = pageOf(
      await readResponse(post(`${url}/oauth/authorize`, BY_URI, asAlice)),
    );
    expect(await decide(action, { csrf_token: csrfToken })).toEqual(DECIDED_WITH_CODE);
  });

  it('shows an error without a login if the request_uri is unknown', async () => {
    const response = await openConsentPage(url, { ...BY_URI, request_uri: 'urn:example:2' }, 'alice');
    expect([response.status, response.headers['location'], interaction.contexts]).toEqual([400, undefined, []]);
  });
});
