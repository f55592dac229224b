import { afterEach, describe, expect, it } from '@jest/globals';
import { DECIDED_WITH_CODE, openConsentPage, pageOf } from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, demoModule, demoStore } from '../../support/servers/demo.js';
import { readResponse, get, post } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

const asAlice = { cookie: 'user=alice' };

/** Returns a model that stores the result of `once()` in this process. */
function onceModel() {
  const seen = new Map<string, number>();
  const once = (digest: string, seconds: number) => !seen.has(digest) && Boolean(seen.set(digest, seconds));
  return { seen, model: Object.assign(demoStore(), { once }) };
}

describe.each(ANY_PLATFORM)('the CSRF token of the consent form on %s', (platform) => {
  afterEach(stopApplications);

  const decide = (url: string, fields: object) =>
    readResponse(post(url, { csrf_token: '', decision: 'allow', ...fields }, asAlice));

  it('is valid only at the path of the authorization endpoint that issued it', async () => {
    const paths = { authorize: ':tenant/authorize', token: ':tenant/token' };
    const { url } = await startApplication(platform, demoModule({ paths }));
    const query = new URLSearchParams(AUTHORIZATION_PARAMETERS).toString();
    const requested = async (tenant: string) =>
      pageOf(await readResponse(get(`${url}/${tenant}/authorize?${query}`, asAlice)));
    const [{ csrf_token: csrfToken }, other] = [await requested('red'), await requested('blue')];
    expect(other.action).toBe(`/blue/authorize?${query}`);
    pageOf(await decide(url + other.action, { csrf_token: csrfToken }));
    expect((await decide(`${url}/red/authorize?${query}`, { csrf_token: csrfToken })).status).toBe(303);
  });

  it('is valid only for the issuer that issued it', async () => {
    const [one, another] = [
      await startApplication(platform, demoModule({ issuer: 'https://one.example' })),
      await startApplication(platform, demoModule({ issuer: 'https://another.example' })),
    ];
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(one.url, AUTHORIZATION_PARAMETERS, 'alice'));
    pageOf(await decide(another.url + action, { csrf_token: csrfToken }));
    expect((await decide(one.url + action, { csrf_token: csrfToken })).status).toBe(303);
  });

  it('is single-use if the model implements once(), even with concurrent forms', async () => {
    const { model, seen } = onceModel();
    const { url } = await startApplication(platform, demoModule({ model }));
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    pageOf(await decide(url + action, { csrf_token: csrfToken, decision: 'perhaps' }));
    expect(seen.size).toBe(0);
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => decide(url + action, { csrf_token: csrfToken })),
    );
    const decided = responses.filter(({ status }) => status === 303);
    expect([decided.length, responses.filter(({ status }) => status === 200).length]).toEqual([1, 4]);
    pageOf(await decide(url + action, { csrf_token: csrfToken, decision: 'deny' }));
    expect([...seen]).toEqual([[expect.stringMatching(/^[\w-]{43}$/), 30 * 60]]);
    const next = pageOf(await openConsentPage(url, { ...AUTHORIZATION_PARAMETERS, scope: 'notes:write' }, 'alice'));
    expect(await decide(url + next.action, { csrf_token: next.csrf_token })).toEqual(DECIDED_WITH_CODE);
  });

  it.each(['generator', 'callback'])(
    'is single-use if once() has the style of oauth2-server 3.x: a %s',
    async (style) => {
      const { model } = onceModel();
      const { once } = model;
      const styled =
        style === 'generator'
          ? function* (digest: string, seconds: number): Generator<unknown, unknown, unknown> {
              return yield once(digest, seconds);
            }
          : (digest: string, seconds: number, done: (error: null, isFirst: boolean) => void) =>
              void (async () => done(null, await once(digest, seconds)))();
      const { url } = await startApplication(
        platform,
        demoModule({ model: Object.assign(model, { once: styled }) as never }),
      );
      const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
      expect(await decide(url + action, { csrf_token: csrfToken })).toEqual(DECIDED_WITH_CODE);
      pageOf(await decide(url + action, { csrf_token: csrfToken, decision: 'deny' }));
    },
  );

  it('differs between two pages that were opened at the same time, so that both decisions are accepted', async () => {
    const { model } = onceModel();
    const { url } = await startApplication(platform, demoModule({ model }));
    const pages = await Promise.all([
      openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'),
      openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'),
    ]);
    for (const { action, csrf_token: csrfToken } of pages.map(pageOf)) {
      expect(await decide(url + action, { csrf_token: csrfToken })).toEqual(DECIDED_WITH_CODE);
    }
  });

  it('is accepted if the model is an EventEmitter, whose once() is not used', async () => {
    const { EventEmitter } = await import('node:events');
    const { model } = onceModel();
    const { url } = await startApplication(
      platform,
      demoModule({ model: Object.assign(model, { once: EventEmitter.prototype.once }) as never }),
    );
    const { action, csrf_token: csrfToken } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    expect(await decide(url + action, { csrf_token: csrfToken })).toEqual(DECIDED_WITH_CODE);
  });
});
