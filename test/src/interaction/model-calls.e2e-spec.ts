import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Model, OAUTH2_INTERACTION } from 'nest-oauth2';
import {
  DECIDED_WITH_CODE,
  openConsentPage,
  pageOf,
  redirected,
  REDIRECTED_WITH_CODE,
} from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, type DemoInteraction, demoModule, demoStore } from '../../support/servers/demo.js';
import { readResponse, post } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

const asAlice = { cookie: 'user=alice' };

/** Returns a model that records the name of each called method. */
function writingDown(calls: string[]): Model {
  return new Proxy(demoStore(), {
    get(store, name) {
      const method: unknown = Reflect.get(store, name);
      if (typeof method !== 'function') return method;
      return (...given: unknown[]): unknown => {
        calls.push(String(name));
        return Reflect.apply(method, store, given);
      };
    },
  });
}

describe.each(ANY_PLATFORM)('the model methods called by the authorization endpoint on %s', (platform) => {
  let url: string;
  let interaction: DemoInteraction;
  const calls: string[] = [];
  const made = () => calls.splice(0);
  /** The methods that are called before the user is needed: for the client and its scopes. */
  const READ = ['getClient', 'validateClientScope'];

  beforeEach(async () => {
    const host = await startApplication(platform, demoModule({ model: writingDown(calls) }));
    url = host.url;
    interaction = host.app.get(OAUTH2_INTERACTION, { strict: false });
    made();
  });
  afterEach(stopApplications);

  it('are only `getClient()` and `validateClientScope()` if no user is signed in', async () => {
    expect((await openConsentPage(url, AUTHORIZATION_PARAMETERS)).headers['location']).toMatch('/login');
    expect(made()).toEqual(READ);
  });

  it('are each called once to show the consent page, and once when the user allows access', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    expect(made()).toEqual([...READ, 'validateScope']);
    expect(await readResponse(post(url + action, { csrf_token: csrfToken, decision: 'allow' }, asAlice))).toEqual(
      DECIDED_WITH_CODE,
    );
    expect(made()).toEqual([...READ, 'validateScope', 'once', 'saveAuthorizationCode']);
  });

  it('are the same when the user denies access, except that no code is saved', async () => {
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    made();
    const response = await readResponse(post(url + action, { csrf_token: csrfToken, decision: 'deny' }, asAlice));
    expect(response).toEqual(redirected(expect.stringContaining('error=access_denied'), 303));
    expect(made()).toEqual([...READ, 'validateScope', 'once']);
  });

  it('are each called once if the user has already consented, so that no page is shown', async () => {
    interaction.consents.add('alice web notes:read');
    expect(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice')).toEqual(REDIRECTED_WITH_CODE);
    expect(made()).toEqual([...READ, 'validateScope', 'saveAuthorizationCode']);
  });
});
