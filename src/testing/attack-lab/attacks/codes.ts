import type { AttackRuns } from '../attack.js';
import { Lab } from '../lab.js';
import { Inconclusive, judge, NotApplicable, resisted, succeeded } from '../outcome.js';

/** Seconds after which every authorization code is expired. */
const DAY = 86_400;

/** Attacks on authorization codes. RFC 9700 §4.5 */
export const CODE_ATTACKS: AttackRuns = {
  async 'code-replay'(lab) {
    const grant = await lab.grant(await lab.client('web'));
    lab.tokensOf(await lab.redeem(grant));
    return judge(await lab.redeem(grant), 'the second request with the same code also got tokens');
  },
  async 'code-replay-tokens'(lab) {
    const web = await lab.client('web');
    const grant = await lab.grant(web);
    const tokens = lab.tokensOf(await lab.redeem(grant));
    const again = await lab.redeem(grant);
    if (again.status < 400) throw new NotApplicable('the server does not detect the replay, see `code-replay`');
    if (tokens.refresh !== undefined) {
      return judge(await lab.refresh(web, tokens.refresh), 'the refresh token of a replayed code is still valid');
    }
    if (!lab.target.guarded) throw new NotApplicable('no guarded route and no refresh token can show the revocation');
    const called = await lab.callRoute(tokens.access);
    return judge(called, 'the access token of a replayed code is still valid', Lab.isAccepted(called));
  },
  async 'code-other-client'(lab) {
    const grant = await lab.grant(await lab.client('web'));
    const as = await lab.client('evil');
    return judge(await lab.redeem(grant, {}, { as }), 'a client redeemed the code of another client');
  },
  async 'code-other-public-client'(lab) {
    const grant = await lab.grant(await lab.client('web'));
    const as = await lab.client('app');
    return judge(await lab.redeem(grant, {}, { as }), 'a public client redeemed the code of a confidential client');
  },
  async 'code-without-credentials'(lab) {
    const web = await lab.client('web');
    const grant = await lab.grant(web);
    const response = await lab.redeem(grant, { client_id: web.id }, { as: null });
    return judge(response, 'the code of a confidential client was redeemed without client authentication');
  },
  async 'code-other-redirect-uri'(lab) {
    const grant = await lab.grant(await lab.client('web'));
    const response = await lab.redeem(grant, { redirect_uri: 'https://evil.attack-lab.example/callback' });
    return judge(response, 'a code was redeemed with another redirect URI');
  },
  async 'code-expired'(lab) {
    const grant = await lab.grant(await lab.client('web'));
    return judge(await lab.later(DAY, () => lab.redeem(grant)), 'an authorization code of yesterday was redeemed');
  },
  async 'code-guessing'(lab) {
    const web = await lab.client('web');
    const codes: string[] = [];
    while (codes.length < 3) codes.push((await lab.grant(web)).code);
    const shared = commonPrefix(codes);
    const fresh = Math.min(...codes.map((code) => code.length)) - shared;
    const isWeak = fresh < 22 || codes.every((code) => /^\d+$/.test(code));
    return isWeak
      ? succeeded(`codes differ in only ${fresh} characters, so that they can be guessed`)
      : resisted(`${codes.length} codes differ in ${fresh} characters`);
  },
  async 'code-as-access-token'(lab) {
    const { code } = await lab.grant(await lab.client('web'));
    const response = await lab.callRoute(code);
    return judge(response, 'the guarded route accepted an authorization code', Lab.isAccepted(response));
  },
  async 'code-disabled-grant'(lab) {
    const client = await lab.newClient({
      grants: ['client_credentials'],
      more: { redirectUris: ['https://client.attack-lab.example/callback'] },
    });
    const { code, page } = await lab.authorize(client);
    if (code === undefined && page.status >= 500) throw new Inconclusive('the authorization endpoint failed');
    return code === undefined
      ? resisted(`no code was issued: ${page.status}`)
      : succeeded('a client got a code although it is not registered for the grant', page);
  },
};

function commonPrefix(texts: readonly string[]): number {
  let length = 0;
  while (length < texts[0]!.length && texts.every((text) => text[length] === texts[0]![length])) length += 1;
  return length;
}
