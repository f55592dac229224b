import type { AttackRuns } from '../attack.js';
import { Lab } from '../lab.js';
import { describeResponse, Inconclusive, judge, NotApplicable, type Outcome, resisted, succeeded } from '../outcome.js';
import type { LabResponse } from '../wire.js';

const UNKNOWN = 'attack-lab:admin';

/** Attacks that widen scopes, resources or consents. RFC 9700 §2.3, RFC 8707 */
export const SCOPE_ATTACKS: AttackRuns = {
  async 'scope-unregistered'(lab) {
    const web = await lab.client('web');
    const { scope } = lab.parametersOf(web).parameters;
    const authorization = await lab.authorize(web, { scope: `${scope} ${UNKNOWN}` });
    if (authorization.code === undefined) return judge(authorization.page, '', false);
    return grantsScope(await lab.redeem(authorization), UNKNOWN);
  },
  'scope-machine': async (lab) =>
    grantsScope(await lab.machineToken(await lab.client('machine'), { scope: UNKNOWN }), UNKNOWN),
  async 'scope-refresh'(lab) {
    const web = await lab.client('web');
    const [first, second] = web.scopes.filter((scope) => scope !== 'openid' && scope !== 'offline_access');
    const wide = second ?? UNKNOWN;
    const kept = web.scopes.filter(
      (scope) => scope !== wide && (scope === first || scope === 'openid' || scope === 'offline_access'),
    );
    const tokens = await lab.tokens(web, { scope: kept.join(' ') });
    return grantsScope(await lab.refresh(web, lab.refreshTokenOf(tokens), { scope: [...kept, wide].join(' ') }), wide);
  },
  async 'scope-consent-form'(lab) {
    const client = await lab.newClient({});
    const { consent, page, ...authorization } = await lab.authorize(client, {}, { consent: 'stop' });
    if (!consent) throw new NotApplicable('no consent page with a button `decision` is shown to the user');
    const scope = [...client.scopes, UNKNOWN].join(' ');
    const response = await (await lab.victim()).submit(page, consent, { decision: 'allow', scope });
    const code = new URL(response.headers.location ?? '/', lab.target.origin).searchParams.get('code') ?? undefined;
    if (code === undefined) return resisted(describeResponse(response));
    return grantsScope(await lab.redeem({ ...authorization, page, code }), UNKNOWN);
  },
  async 'consent-other-client'(lab) {
    const first = await lab.newClient({ more: { name: 'Attack lab', consent: 'once' } }, 'first');
    await lab.authorize(first);
    requiresConsent(lab);
    const evil = await lab.newClient({ more: { name: 'Attack lab', consent: 'once' } }, 'other');
    return asks(await lab.authorize(evil, {}, { consent: 'stop' }), 'another client got a code without consent');
  },
  async 'consent-wider-scope'(lab) {
    const client = await lab.newClient({ more: { consent: 'once' } });
    const values = client.scopes.filter((scope) => scope !== 'openid' && scope !== 'offline_access');
    if (values.length < 2) throw new NotApplicable('the server has fewer than two scopes');
    const base = client.scopes.includes('openid') ? ['openid'] : [];
    await lab.authorize(client, { scope: [...base, values[0]].join(' '), prompt: undefined });
    requiresConsent(lab);
    const wide = { scope: [...base, ...values].join(' '), prompt: undefined };
    return asks(await lab.authorize(client, wide, { consent: 'stop' }), 'more scopes were granted without consent');
  },
  async 'consent-native-app'(lab) {
    const client = await lab.newClient({ isPublic: true, redirectUris: ['http://127.0.0.1/callback'] });
    await lab.authorize(client);
    requiresConsent(lab);
    return asks(
      await lab.authorize(client, {}, { consent: 'stop' }),
      'the second request of a native app needed no consent',
    );
  },
  async 'guard-no-token'(lab) {
    for (const token of [undefined, lab.random.next(), 'null', 'undefined', '*', "' OR '1'='1"]) {
      const response = await lab.callRoute(token, { dpop: null });
      if (Lab.isAccepted(response))
        return succeeded(
          `the guarded route accepted ${token === undefined ? 'a request without a token' : `the token ${token}`}`,
          response,
        );
    }
    return resisted('401 without a token and with six malformed ones');
  },
  async 'guard-scope'(lab) {
    if (lab.target.guarded!.path === lab.target.urlOf('userinfo'))
      throw new NotApplicable('the UserInfo endpoint requires only `openid`');
    const client = await lab.newClient({ scopes: [UNKNOWN], more: { defaultScope: UNKNOWN } });
    const response = await lab.callRoute((await lab.tokens(client, { prompt: undefined })).access);
    return judge(response, 'the guarded route accepted a token of another scope', Lab.isAccepted(response));
  },
  async 'token-in-url'(lab) {
    const { access } = await lab.tokens(await lab.client('web'));
    const { path, method = 'GET' } = lab.target.guarded!;
    const url = new URL(path, lab.target.origin);
    url.searchParams.set('access_token', access);
    const response = await lab.send(url.href, { method });
    return judge(response, 'the guarded route accepted a token in the URL', Lab.isAccepted(response));
  },
  async 'resource-unknown'(lab) {
    const response = await lab.machineToken(await lab.client('machine'), {
      resource: 'https://evil.attack-lab.example/api',
    });
    return judge(response, 'a token for an unknown resource was issued');
  },
  async 'resource-refresh'(lab) {
    const web = await lab.client('web');
    const refresh = lab.refreshTokenOf(await lab.tokens(web));
    const response = await lab.refresh(web, refresh, { resource: 'https://evil.attack-lab.example/api' });
    return judge(response, 'the token was widened to another resource');
  },
  async 'audience-missing'(lab) {
    const { resource } = lab.target;
    if (resource === undefined) throw new NotApplicable('the guarded route is not a declared resource');
    const web = await lab.client('web');
    const authorization = await lab.authorize(web, { resource: undefined });
    if (authorization.code === undefined) return resisted(describeResponse(authorization.page));
    const response = await lab.redeem(authorization);
    if (response.status >= 400) return resisted(describeResponse(response));
    const called = await lab.callRoute(lab.tokensOf(response).access);
    return judge(called, 'the resource accepted a token without its audience', Lab.isAccepted(called));
  },
  async 'implicit-grant'(lab) {
    const { params, page } = await lab.authorize(await lab.client('web'), { response_type: 'token' });
    return params.has('access_token')
      ? succeeded('an access token was sent in the redirect', page)
      : judge(page, '', false);
  },
};

/** @throws {NotApplicable} If no user was ever asked for consent. */
function requiresConsent({ parts }: Lab): void {
  if (!parts.browsers.hasAsked) throw new NotApplicable('the application does not ask users for consent');
}

function grantsScope(response: LabResponse, scope: string): Outcome {
  if (response.status >= 400) return judge(response, '');
  if (response.json['access_token'] === undefined) throw new Inconclusive(`no token: ${describeResponse(response)}`);
  const granted = String(response.json['scope'] ?? '').split(' ');
  // A response without `scope` grants what was requested. RFC 6749 §5.1
  const isGranted = granted.includes(scope) || response.json['scope'] === undefined;
  return isGranted
    ? succeeded(`the scope ${scope} was granted`, response)
    : resisted(`granted only: ${granted.join(' ')}`);
}

function asks({ consent, code, page, params }: Awaited<ReturnType<Lab['authorize']>>, how: string): Outcome {
  if (code !== undefined) return succeeded(how, page);
  return resisted(
    consent || page.status === 200 ? 'the consent page is shown' : (params.get('error') ?? describeResponse(page)),
  );
}
