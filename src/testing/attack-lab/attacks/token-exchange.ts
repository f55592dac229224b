import type { AttackRuns } from '../attack.js';
import { EVIL_ORIGIN } from '../browser.js';
import type { LabClient } from '../clients.js';
import { unsignedJwt } from '../jwt.js';
import type { Lab } from '../lab.js';
import type { Role } from '../lab-requests.js';
import { describeResponse, NotApplicable } from '../outcome.js';
import { apiScopes } from '../target.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** Attacks on token exchange. RFC 8693 §5 */
export const TOKEN_EXCHANGE_ATTACKS: AttackRuns = {
  async 'exchange-wider-scope'(lab) {
    const [narrow, wider] = apiScopes(lab.target.scopes);
    if (narrow === undefined || wider === undefined) throw new NotApplicable('the server has only one scope');
    const { client, access } = await exchangingClient(lab, narrow);
    const response = await exchange(lab, client, access, { scope: `${narrow} ${wider}` });
    const granted = String(response.json['scope'] ?? '').split(' ');
    return lab.judge(response, response.status < 400 && granted.includes(wider));
  },
  async 'exchange-other-grant'(lab) {
    const { access } = await exchangingClient(lab);
    return exchange(lab, 'evil', access);
  },
  async 'exchange-forged-token'(lab) {
    const { client } = await exchangingClient(lab);
    const { issuer } = lab.target;
    const token = unsignedJwt({ iss: issuer, aud: issuer, sub: 'attack-lab', client_id: client.id, jti: 'x' });
    return exchange(lab, client, token);
  },
  async 'exchange-unknown-resource'(lab) {
    const { client, access } = await exchangingClient(lab);
    return exchange(lab, client, access, { resource: `${EVIL_ORIGIN}/` });
  },
  async 'exchange-expired-token'(lab) {
    const { client, access } = await exchangingClient(lab);
    return lab.later(86_400 * 30, () => exchange(lab, client, access));
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

const exchange = (lab: Lab, client: Role | LabClient, token: string, more: Record<string, string> = {}) =>
  lab.post('token', client, { grant_type: GRANT, subject_token: token, subject_token_type: ACCESS_TOKEN, ...more });
