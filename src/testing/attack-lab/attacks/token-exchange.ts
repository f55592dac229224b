import type { AttackRuns } from '../attack.js';
import type { LabClient } from '../clients.js';
import { unsignedJwt } from '../jwt.js';
import type { Lab } from '../lab.js';
import { describeResponse, judge, NotApplicable } from '../outcome.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** Attacks on token exchange. RFC 8693 §5 */
export const TOKEN_EXCHANGE_ATTACKS: AttackRuns = {
  async 'exchange-wider-scope'(lab) {
    const { scopes } = lab.target;
    const narrow = scopes.find((one) => one !== 'openid' && one !== 'offline_access');
    const wider = scopes.find((one) => ![narrow, 'openid', 'offline_access'].includes(one));
    if (narrow === undefined || wider === undefined) throw new NotApplicable('the server has only one scope');
    const { client, access } = await exchangingClient(lab, narrow);
    const response = await exchange(lab, client, access, { scope: `${narrow} ${wider}` });
    const granted = String(response.json['scope'] ?? '').split(' ');
    const isWider = response.status < 400 && granted.includes(wider);
    return judge(response, 'a token was exchanged for one with a wider scope', isWider);
  },
  async 'exchange-other-grant'(lab) {
    const { access } = await exchangingClient(lab);
    const response = await exchange(lab, await lab.client('evil'), access);
    return judge(response, 'a client without the grant exchanged a stolen token');
  },
  async 'exchange-forged-token'(lab) {
    const { client } = await exchangingClient(lab);
    const { issuer } = lab.target;
    const token = unsignedJwt({ iss: issuer, aud: issuer, sub: 'attack-lab', client_id: client.id, jti: 'x' });
    return judge(await exchange(lab, client, token), 'an unsigned JWT was accepted as subject token');
  },
  async 'exchange-unknown-resource'(lab) {
    const { client, access } = await exchangingClient(lab);
    const response = await exchange(lab, client, access, { resource: 'https://evil.attack-lab.example/' });
    return judge(response, 'a token was exchanged for one that an unknown server may use');
  },
  async 'exchange-expired-token'(lab) {
    const { client, access } = await exchangingClient(lab);
    return judge(await lab.later(86_400 * 30, () => exchange(lab, client, access)), 'an expired token was exchanged');
  },
};

/** Returns a client that may exchange tokens, and a token of the user that it exchanged before. */
async function exchangingClient(lab: Lab, scope?: string): Promise<{ client: LabClient; access: string }> {
  const client = await lab.newClient({ grants: ['authorization_code', GRANT] });
  const { access } = await lab.tokens(client, scope === undefined ? {} : { scope, prompt: undefined });
  const honest = await exchange(lab, client, access);
  if (honest.status < 400) return { client, access };
  throw new NotApplicable(`clients of the lab may not exchange their tokens: ${describeResponse(honest)}`);
}

const exchange = (lab: Lab, client: LabClient, token: string, more: Record<string, string> = {}) =>
  lab.post('token', client, { grant_type: GRANT, subject_token: token, subject_token_type: ACCESS_TOKEN, ...more });
