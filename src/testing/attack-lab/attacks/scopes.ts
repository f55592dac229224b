import type { AttackRuns } from '../attack.js';
import { EVIL_ORIGIN } from '../browser.js';
import type { Authorization, Lab } from '../lab.js';
import {
  codeOf,
  describeResponse,
  Inconclusive,
  NotApplicable,
  type Outcome,
  resisted,
  succeeded,
} from '../outcome.js';
import { apiScopes } from '../target.js';
import type { LabResponse } from '../wire.js';

const UNKNOWN = 'attack-lab:admin';

/** Attacks that widen scopes, resources or consents. RFC 9700 §2.3, RFC 8707 */
export const SCOPE_ATTACKS: AttackRuns = {
  async 'scope-unregistered'(lab) {
    const { scope } = lab.parametersOf(await lab.client('web')).parameters;
    const authorization = await lab.authorize('web', { scope: `${scope} ${UNKNOWN}` });
    if (authorization.code === undefined) return lab.judge(authorization.page, false);
    return grantsScope(lab, await lab.redeem(authorization), UNKNOWN);
  },
  'scope-machine': async (lab) => grantsScope(lab, await lab.machineToken('machine', { scope: UNKNOWN }), UNKNOWN),
  async 'scope-refresh'(lab) {
    const { scopes } = await lab.client('web');
    const [, wide = UNKNOWN, ...others] = apiScopes(scopes);
    const kept = scopes.filter((scope) => scope !== wide && !others.includes(scope));
    const refresh = lab.refreshTokenOf(await lab.tokens('web', { scope: kept.join(' ') }));
    return grantsScope(lab, await lab.refresh('web', refresh, { scope: [...kept, wide].join(' ') }), wide);
  },
  async 'scope-consent-form'(lab) {
    const authorization = await lab.consentPage(await lab.newClient());
    const { client, page, form } = authorization;
    const scope = [...client.scopes, UNKNOWN].join(' ');
    const response = await (await lab.victim()).submit(page, form, { decision: 'allow', scope });
    const code = codeOf(response);
    if (code === undefined) return resisted(describeResponse(response));
    return grantsScope(lab, await lab.redeem({ ...authorization, code }), UNKNOWN);
  },
  async 'consent-other-client'(lab) {
    const first = await lab.newClient({ more: { name: 'Attack lab', consent: 'once' } }, 'first');
    await lab.authorize(first);
    requiresConsent(lab);
    const evil = await lab.newClient({ more: { name: 'Attack lab', consent: 'once' } }, 'other');
    return asks(lab, await lab.authorize(evil, {}, { consent: 'stop' }));
  },
  async 'consent-wider-scope'(lab) {
    const client = await lab.newClient({ more: { consent: 'once' } });
    const values = apiScopes(client.scopes);
    if (values.length < 2) throw new NotApplicable('the server has fewer than two scopes');
    const base = client.scopes.includes('openid') ? ['openid'] : [];
    await lab.authorize(client, { scope: [...base, values[0]].join(' '), prompt: undefined });
    requiresConsent(lab);
    const wide = { scope: [...base, ...values].join(' '), prompt: undefined };
    return asks(lab, await lab.authorize(client, wide, { consent: 'stop' }));
  },
  async 'consent-native-app'(lab) {
    const client = await lab.newClient({ isPublic: true, redirectUris: ['http://127.0.0.1/callback'] });
    await lab.authorize(client);
    requiresConsent(lab);
    return asks(lab, await lab.authorize(client, {}, { consent: 'stop' }));
  },
  async 'guard-no-token'(lab) {
    for (const token of [undefined, lab.random.next(), 'null', 'undefined', '*', "' OR '1'='1"]) {
      const response = await lab.callRoute(token, { dpop: null });
      const what = token === undefined ? 'a request without a token' : `the token ${token}`;
      if (response.isAccepted) return succeeded(`the guarded route accepted ${what}`, response);
    }
    return resisted('401 without a token and with six malformed ones');
  },
  async 'guard-scope'(lab) {
    if (lab.target.guarded!.path === lab.target.urlOf('userinfo'))
      throw new NotApplicable('the UserInfo endpoint requires only `openid`');
    const client = await lab.newClient({ scopes: [UNKNOWN], more: { defaultScope: UNKNOWN } });
    return lab.callRoute((await lab.tokens(client, { prompt: undefined })).access);
  },
  async 'token-in-url'(lab) {
    const { access } = await lab.tokens('web');
    const url = new URL(lab.target.guardedUrl!);
    url.searchParams.set('access_token', access);
    return lab.callGuarded(url.href, { method: lab.target.guarded!.method ?? 'GET' });
  },
  'resource-unknown': (lab) => lab.machineToken('machine', { resource: `${EVIL_ORIGIN}/api` }),
  'resource-refresh': async (lab) => lab.refresh('web', await lab.refreshToken(), { resource: `${EVIL_ORIGIN}/api` }),
  async 'audience-missing'(lab) {
    const { resource } = lab.target;
    if (resource === undefined) throw new NotApplicable('the guarded route is not a declared resource');
    const authorization = await lab.authorize('web', { resource: undefined });
    if (authorization.code === undefined) return resisted(describeResponse(authorization.page));
    const response = await lab.redeem(authorization);
    if (response.status >= 400) return resisted(describeResponse(response));
    return lab.callRoute(lab.tokensOf(response).access);
  },
  async 'implicit-grant'(lab) {
    const { params, page } = await lab.authorize('web', { response_type: 'token' });
    return lab.judge(page, params.has('access_token'));
  },
};

/** @throws {NotApplicable} If no user was ever asked for consent. */
function requiresConsent({ parts }: Lab): void {
  if (!parts.browsers.hasAsked) throw new NotApplicable('the application does not ask users for consent');
}

function grantsScope(lab: Lab, response: LabResponse, scope: string): Outcome {
  if (response.status >= 400) return lab.judge(response);
  if (response.json['access_token'] === undefined) throw new Inconclusive(`no token: ${describeResponse(response)}`);
  const granted = String(response.json['scope'] ?? '').split(' ');
  // A response without `scope` grants what was requested. RFC 6749 §5.1
  const isGranted = granted.includes(scope) || response.json['scope'] === undefined;
  return isGranted
    ? succeeded(`the scope ${scope} was granted`, response)
    : resisted(`granted only: ${granted.join(' ')}`);
}

function asks(lab: Lab, { consent, code, page, params }: Authorization): Outcome {
  if (code !== undefined) return lab.judge(page, true);
  return resisted(
    consent || page.status === 200 ? 'the consent page is shown' : (params.get('error') ?? describeResponse(page)),
  );
}
