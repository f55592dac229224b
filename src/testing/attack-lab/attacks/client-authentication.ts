import type { AttackRuns } from '../attack.js';
import type { LabClient } from '../clients.js';
import { basic, type Credentials } from '../credentials.js';
import type { Lab } from '../lab.js';
import { describeResponse, judge, NotApplicable, resisted, succeeded } from '../outcome.js';

/** Attacks on client authentication, introspection and revocation. RFC 6749 §2.3, §10.1 */
export const CLIENT_AUTHENTICATION_ATTACKS: AttackRuns = {
  async 'client-wrong-secret'(lab) {
    const { id } = await secretClient(lab);
    const headers = { authorization: basic(id, lab.random.next(32)) };
    return lab.post('token', undefined, await lab.machineForm(), { headers });
  },
  async 'client-missing-secret'(lab) {
    const { id: client_id } = await lab.client('machine');
    const body = await lab.machineForm();
    return lab.judgeAll([undefined, '', 'undefined', 'null'], (client_secret) =>
      lab.post('token', undefined, { ...body, client_id, client_secret }),
    );
  },
  'client-public-machine': (lab) => lab.machineToken('app'),
  async 'client-two-methods'(lab) {
    const [one, other] = [await secretClient(lab), await lab.client('evil')];
    if (other.secret === undefined) throw new NotApplicable('clients of the lab have no secrets');
    const headers = { authorization: basic(one.id, one.secret) };
    const sent = { ...(await lab.machineForm()), client_id: other.id, client_secret: other.secret };
    return lab.post('token', undefined, sent, { headers });
  },
  async 'client-id-mismatch'(lab) {
    const { id } = await lab.client('evil');
    return lab.post('token', 'machine', { ...(await lab.machineForm()), client_id: id });
  },
  async 'client-secret-in-url'(lab) {
    const { id, secret } = await secretClient(lab);
    const url = lab.at('token', { client_id: id, client_secret: secret });
    return lab.send(url, { form: await lab.machineForm() });
  },
  async 'token-by-get'(lab) {
    const { id, secret } = await secretClient(lab);
    const query = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
    return lab.send(lab.at('token', query), { headers: { authorization: basic(id, secret) } });
  },
  async 'client-id-variants'(lab) {
    const { id, secret } = await secretClient(lab);
    const body = await lab.machineForm();
    const variants = [id.toUpperCase(), `${id} `, `${id}\0`, ` ${id}`].filter((one) => one !== id);
    return lab.judgeAll(variants, async (variant) => {
      const response = await lab.post('token', undefined, body, { headers: { authorization: basic(variant, secret) } });
      return judge(response, `the ID ${JSON.stringify(variant)} was accepted`);
    });
  },
  async 'client-method-downgrade'(lab) {
    const secret = lab.random.next(32);
    const more = { tokenEndpointAuthMethod: 'private_key_jwt', secret };
    const { id } = await lab.newClient({ grants: ['client_credentials'], more });
    const body = await lab.machineForm();
    const attempts: Credentials[] = [
      { form: {}, headers: { authorization: basic(id, secret) } },
      { form: { client_id: id, client_secret: secret }, headers: {} },
    ];
    return lab.judgeAll(attempts, ({ form, headers }) =>
      lab.post('token', undefined, { ...body, ...form }, { headers }),
    );
  },
  async 'client-grant-escalation'(lab) {
    const client = await lab.newClient({ grants: ['refresh_token'] });
    const grants = [...lab.target.server.context.grants.keys()].filter((grant) => grant !== 'refresh_token');
    const names = ['code', 'redirect_uri', 'username', 'password', 'device_code', 'assertion'];
    const fields = { ...Object.fromEntries(names.map((name) => [name, 'x'])), scope: client.scopes.join(' ') };
    return lab.judgeAll(grants, async (grant_type) => {
      const response = await lab.post('token', client, { grant_type, ...fields });
      const isRefused = ['unauthorized_client', 'unsupported_grant_type', 'invalid_client'].includes(
        String(response.json['error']),
      );
      return judge(
        response,
        `the grant ${grant_type} was not refused as unauthorized: ${describeResponse(response)}`,
        response.status < 400 || (!isRefused && grant_type === 'client_credentials'),
      );
    });
  },
  async 'introspection-unauthenticated'(lab) {
    const response = await lab.post('introspection', undefined, { token: await machineToken(lab) });
    return lab.judge(response, response.status < 400 && response.json['active'] === true);
  },
  async 'introspection-public'(lab) {
    const token = await machineToken(lab);
    const { id } = await lab.client('app');
    const response = await lab.post('introspection', undefined, { token, client_id: id });
    return lab.judge(response, response.json['active'] === true);
  },
  async 'revocation-other-client'(lab) {
    const refresh = await lab.refreshToken();
    await lab.post('revocation', 'evil', { token: refresh });
    const used = await lab.refresh('web', refresh);
    return used.status < 400
      ? resisted('the token of the other client is still valid')
      : succeeded('a client revoked the token of another client', used);
  },
  async 'token-cache'(lab) {
    const response = await lab.machineToken('machine');
    lab.tokensOf(response);
    return /no-store/.test(response.headers['cache-control'] ?? '')
      ? resisted('no-store')
      : succeeded('token responses may be stored by caches', response);
  },
};

const machineToken = async (lab: Lab) => lab.tokensOf(await lab.machineToken('machine')).access;

/** Returns a client with a secret for the client credentials grant. */
async function secretClient(lab: Lab): Promise<LabClient & { secret: string }> {
  const { secret, ...client } = await lab.client('machine');
  if (secret === undefined) throw new NotApplicable('clients of the lab have no secrets');
  return { ...client, secret };
}
