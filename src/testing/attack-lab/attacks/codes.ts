import type { AttackRuns } from '../attack.js';
import { EVIL_ORIGIN } from '../browser.js';
import { Inconclusive, judge, NotApplicable, resisted, succeeded } from '../outcome.js';

/** Seconds after which every authorization code is expired. */
const DAY = 86_400;

/** Attacks on authorization codes. RFC 9700 §4.5 */
export const CODE_ATTACKS: AttackRuns = {
  async 'code-replay'(lab) {
    const grant = await lab.grant('web');
    lab.tokensOf(await lab.redeem(grant));
    return lab.redeem(grant);
  },
  async 'code-replay-tokens'(lab) {
    const grant = await lab.grant('web');
    const tokens = lab.tokensOf(await lab.redeem(grant));
    const again = await lab.redeem(grant);
    if (again.status < 400) throw new NotApplicable('the server does not detect the replay, see `code-replay`');
    if (tokens.refresh !== undefined) {
      return judge(await lab.refresh('web', tokens.refresh), 'the refresh token of a replayed code is still valid');
    }
    if (!lab.target.guarded) throw new NotApplicable('no guarded route and no refresh token can show the revocation');
    return judge(await lab.callRoute(tokens.access), 'the access token of a replayed code is still valid');
  },
  'code-other-client': async (lab) => lab.redeem(await lab.grant('web'), {}, { as: 'evil' }),
  'code-other-public-client': async (lab) => lab.redeem(await lab.grant('web'), {}, { as: 'app' }),
  async 'code-without-credentials'(lab) {
    const grant = await lab.grant('web');
    return lab.redeem(grant, { client_id: grant.client.id }, { as: null });
  },
  'code-other-redirect-uri': async (lab) =>
    lab.redeem(await lab.grant('web'), { redirect_uri: `${EVIL_ORIGIN}/callback` }),
  async 'code-expired'(lab) {
    const grant = await lab.grant('web');
    return lab.later(DAY, () => lab.redeem(grant));
  },
  async 'code-guessing'(lab) {
    const codes: string[] = [];
    while (codes.length < 3) codes.push((await lab.grant('web')).code);
    const shared = commonPrefix(codes);
    const fresh = Math.min(...codes.map((code) => code.length)) - shared;
    const isWeak = fresh < 22 || codes.every((code) => /^\d+$/.test(code));
    return isWeak
      ? succeeded(`codes differ in only ${fresh} characters, so that they can be guessed`)
      : resisted(`${codes.length} codes differ in ${fresh} characters`);
  },
  'code-as-access-token': async (lab) => lab.callRoute((await lab.grant('web')).code),
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
