import type { AttackRuns } from '../attack.js';
import type { LabClient } from '../clients.js';
import type { Lab } from '../lab.js';
import { describeResponse, NotApplicable } from '../outcome.js';

const GRANT = 'urn:openid:params:grant-type:ciba';

/** Attacks on client-initiated backchannel authentication. CIBA Core 1.0 */
export const CIBA_ATTACKS: AttackRuns = {
  async 'ciba-without-approval'(lab) {
    const { client, id } = await start(lab);
    return poll(lab, client, id);
  },
  async 'ciba-other-client'(lab) {
    const { id } = await start(lab);
    const response = await poll(lab, await cibaClient(lab, 'other'), id);
    return lab.judge(response, response.status < 400 || response.json['error'] === 'authorization_pending');
  },
  async 'ciba-unauthenticated'(lab) {
    const { client, form } = await start(lab);
    return lab.post('backchannel_authentication', undefined, { ...form, client_id: client.id });
  },
};

const cibaClient = (lab: Lab, role: string): Promise<LabClient> =>
  lab.newClient({ grants: [GRANT], more: { backchannelTokenDeliveryMode: 'poll' } }, role);

/** Sends a request for the user of the lab. */
async function start(lab: Lab) {
  const client = await cibaClient(lab, 'ciba');
  const scope = client.scopes.filter((one) => one !== 'offline_access').join(' ');
  const form = { scope, login_hint: lab.user.username };
  const response = await lab.post('backchannel_authentication', client, form);
  const { auth_req_id: id } = response.json as { auth_req_id?: string };
  if (id === undefined) throw new NotApplicable(`the user of the lab is not asked: ${describeResponse(response)}`);
  return { client, form, id };
}

const poll = (lab: Lab, client: LabClient, id: string) =>
  lab.post('token', client, { grant_type: GRANT, auth_req_id: id });
