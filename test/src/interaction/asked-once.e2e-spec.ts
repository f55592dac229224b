import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Model, OAUTH2_INTERACTION } from 'nest-oauth2';
import { DECIDED_WITH_CODE, openConsentPage, pageOf, redirected, REDIRECTED_WITH_CODE } from '../../support/consent.js';
import { AUTHORIZATION_PARAMETERS, type DemoInteraction, demoModule, demoStore } from '../../support/demo.js';
import { readResponse, post } from '../../support/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/test-application.js';

const asAlice = { cookie: 'user=alice' };

/** A model that writes down each of its methods that is called. */
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

// Issue 11, 1
describe.each(ANY_PLATFORM)('what a visit of the authorization endpoint asks the model on %s', (platform) => {
  let url: string;
  let interaction: DemoInteraction;
  const calls: string[] = [];
  const made = () => calls.splice(0);
  /** What is asked before anybody is: the client, and what it may ask for. */
  const READ = ['getClient', 'validateClientScope'];

  beforeEach(async () => {
    const host = await startApplication(platform, demoModule({ model: writingDown(calls) }));
    url = host.url;
    interaction = host.app.get(OAUTH2_INTERACTION, { strict: false });
    made();
  });
  afterEach(stopApplications);

  it('is who asks, where nobody is signed in', async () => {
    expect((await openConsentPage(url, AUTHORIZATION_PARAMETERS)).headers['location']).toMatch('/login');
    expect(made()).toEqual(READ);
  });

  it('is each thing once, for the consent page and for what comes of it', async () => {
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    expect(made()).toEqual([...READ, 'validateScope']);
    expect(await readResponse(post(url + action, { ticket, decision: 'allow' }, asAlice))).toEqual(DECIDED_WITH_CODE);
    expect(made()).toEqual([...READ, 'validateScope', 'once', 'saveAuthorizationCode']);
  });

  it('is no more for a no', async () => {
    const { action, ticket } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    made();
    const answer = await readResponse(post(url + action, { ticket, decision: 'deny' }, asAlice));
    expect(answer).toEqual(redirected(expect.stringContaining('error=access_denied'), 303));
    expect(made()).toEqual([...READ, 'validateScope', 'once']);
  });

  it('is each thing once where the user agreed before', async () => {
    interaction.consents.add('alice web notes:read');
    expect(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice')).toEqual(REDIRECTED_WITH_CODE);
    expect(made()).toEqual([...READ, 'validateScope', 'saveAuthorizationCode']);
  });
});
