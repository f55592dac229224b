import type { AttackRuns } from '../attack.js';
import { basic } from '../credentials.js';
import { judge } from '../outcome.js';

/** A client that authenticates with the certificate of this name. RFC 8705 §2.1.2 */
const CERTIFICATE = { tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSubjectDn: 'CN=attack-lab' };

/** Attacks on mutual TLS, by a client without a certificate. RFC 8705 */
export const MUTUAL_TLS_ATTACKS: AttackRuns = {
  async 'mtls-no-certificate'(lab) {
    const { id } = await lab.newClient({ grants: ['client_credentials'], more: CERTIFICATE });
    const form = { ...(await lab.machineForm()), client_id: id };
    return judge(await lab.post('token', undefined, form), 'a client was accepted without its certificate');
  },
  async 'mtls-secret-instead'(lab) {
    const secret = lab.random.next(32);
    const { id } = await lab.newClient({ grants: ['client_credentials'], more: { ...CERTIFICATE, secret } });
    const headers = { authorization: basic(id, secret) };
    const response = await lab.post('token', undefined, await lab.machineForm(), { headers });
    return judge(response, 'a client with a certificate was accepted with a secret');
  },
  async 'mtls-unbound-token'(lab) {
    const more = { tlsClientCertificateBoundAccessTokens: true };
    const client = await lab.newClient({ grants: ['client_credentials'], more });
    const response = await lab.post('token', client, await lab.machineForm());
    return judge(response, 'a client that requires bound tokens got one without its certificate');
  },
};
