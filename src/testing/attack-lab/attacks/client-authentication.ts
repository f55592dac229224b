import type { AttackRuns } from '../attack.js';
import type { LabClient } from '../clients.js';
import { basic } from '../credentials.js';
import type { Lab } from '../lab.js';
import { allOf, describeResponse, judge, NotApplicable, resisted, succeeded } from '../outcome.js';

const form = { grant_type: 'client_credentials' };

/** Attacks on client authentication, introspection and revocation. RFC 6749 §2.3, §10.1 */
export const CLIENT_AUTHENTICATION_ATTACKS: AttackRuns = {
  async 'client-wrong-secret'(lab) {
    const { id } = await secretClient(lab);
    const headers = { authorization: basic(id, lab.random.next(32)) };
    return judge(
      await lab.post('token', undefined, await lab.machineForm(), { headers }),
      'a wrong secret was accepted',
    );
  },
  async 'client-missing-secret'(lab) {
    const { id } = await lab.client('machine');
    const body = await lab.machineForm();
    return allOf(
      [
        { client_id: id },
        { client_id: id, client_secret: '' },
        { client_id: id, client_secret: 'undefined' },
        { client_id: id, client_secret: 'null' },
      ].map(
        (sent) => async () =>
          judge(
            await lab.post('token', undefined, { ...body, ...sent }),
            'a confidential client was accepted without its secret',
          ),
      ),
    );
  },
  async 'client-public-machine'(lab) {
    const client = await lab.client('app');
    return judge(await lab.machineToken(client), 'a public client got a token of its own');
  },
  async 'client-two-methods'(lab) {
    const [one, other] = [await secretClient(lab), await lab.client('evil')];
    if (other.secret === undefined) throw new NotApplicable('clients of the lab have no secrets');
    const headers = { authorization: basic(one.id, one.secret!) };
    const sent = { ...(await lab.machineForm()), client_id: other.id, client_secret: other.secret };
    return judge(await lab.post('token', undefined, sent, { headers }), 'credentials of two clients were accepted');
  },
  async 'client-id-mismatch'(lab) {
    const one = await lab.client('machine');
    const response = await lab.post('token', one, {
      ...(await lab.machineForm()),
      client_id: (await lab.client('evil')).id,
    });
    return judge(response, 'the `client_id` of another client was accepted');
  },
  async 'client-secret-in-url'(lab) {
    const { id, secret } = await secretClient(lab);
    const query = new URLSearchParams({ client_id: id, client_secret: secret! });
    const response = await lab.send(lab.at('token', query), { form: await lab.machineForm() });
    return judge(response, 'credentials in the URL were accepted');
  },
  async 'token-by-get'(lab) {
    const { id, secret } = await secretClient(lab);
    const query = new URLSearchParams({ ...form, client_id: id, client_secret: secret! });
    const headers = { authorization: basic(id, secret!) };
    return judge(await lab.send(lab.at('token', query), { headers }), 'a token was issued by GET');
  },
  async 'client-id-variants'(lab) {
    const { id, secret } = await secretClient(lab);
    const body = await lab.machineForm();
    return allOf(
      [id.toUpperCase(), `${id} `, `${id}\0`, ` ${id}`]
        .filter((one) => one !== id)
        .map((variant) => async () => {
          const headers = { authorization: basic(variant, secret!) };
          return judge(
            await lab.post('token', undefined, body, { headers }),
            `the ID ${JSON.stringify(variant)} was accepted`,
          );
        }),
    );
  },
  async 'client-method-downgrade'(lab) {
    const secret = lab.random.next(32);
    const more = { tokenEndpointAuthMethod: 'private_key_jwt', secret };
    const { id } = await lab.newClient({ grants: ['client_credentials'], more });
    const body = await lab.machineForm();
    const send = (sent: Record<string, string>, headers: Record<string, string>) => async () => {
      const response = await lab.post('token', undefined, { ...body, ...sent }, { headers });
      return judge(response, 'a client with a key was accepted with a secret');
    };
    return allOf([send({}, { authorization: basic(id, secret) }), send({ client_id: id, client_secret: secret }, {})]);
  },
  async 'client-grant-escalation'(lab) {
    const client = await lab.newClient({ grants: ['refresh_token'] });
    const grants = [...lab.target.server.context.grants.keys()].filter((grant) => grant !== 'refresh_token');
    return allOf(
      grants.map((grant_type) => async () => {
        const sent = {
          grant_type,
          code: 'x',
          redirect_uri: 'x',
          username: 'x',
          password: 'x',
          scope: client.scopes.join(' '),
          device_code: 'x',
          assertion: 'x',
        };
        const response = await lab.post('token', client, sent);
        const isRefused = ['unauthorized_client', 'unsupported_grant_type', 'invalid_client'].includes(
          String(response.json['error']),
        );
        return judge(
          response,
          `the grant ${grant_type} was not refused as unauthorized: ${describeResponse(response)}`,
          response.status < 400 || (!isRefused && grant_type === 'client_credentials'),
        );
      }),
    );
  },
  async 'introspection-unauthenticated'(lab) {
    const { access } = lab.tokensOf(await lab.machineToken(await lab.client('machine')));
    const response = await lab.post('introspection', undefined, { token: access });
    return judge(
      response,
      'a token was introspected without credentials',
      response.status < 400 && response.json['active'] === true,
    );
  },
  async 'introspection-public'(lab) {
    const { access } = lab.tokensOf(await lab.machineToken(await lab.client('machine')));
    const { id } = await lab.client('app');
    const response = await lab.post('introspection', undefined, { token: access, client_id: id });
    return judge(
      response,
      'a public client introspected the token of another client',
      response.json['active'] === true,
    );
  },
  async 'revocation-other-client'(lab) {
    const web = await lab.client('web');
    const refresh = lab.refreshTokenOf(await lab.tokens(web));
    await lab.post('revocation', await lab.client('evil'), { token: refresh });
    const used = await lab.refresh(web, refresh);
    return used.status < 400
      ? resisted('the token of the other client is still valid')
      : succeeded('a client revoked the token of another client', used);
  },
  async 'token-cache'(lab) {
    const response = await lab.machineToken(await lab.client('machine'));
    lab.tokensOf(response);
    return /no-store/.test(response.headers['cache-control'] ?? '')
      ? resisted('no-store')
      : succeeded('token responses may be stored by caches', response);
  },
};

/** Returns a client with a secret for the client credentials grant. */
async function secretClient(lab: Lab): Promise<LabClient> {
  const client = await lab.client('machine');
  if (client.secret === undefined) throw new NotApplicable('clients of the lab have no secrets');
  return client;
}
