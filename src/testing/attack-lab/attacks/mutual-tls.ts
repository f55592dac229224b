import type { AttackRuns } from '../attack.js';
import { basic } from '../credentials.js';

/** A client that authenticates with the certificate of this name. RFC 8705 §2.1.2 */
const CERTIFICATE = { tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSubjectDn: 'CN=attack-lab' };

/** Attacks on mutual TLS, by a client without a certificate. RFC 8705 */
export const MUTUAL_TLS_ATTACKS: AttackRuns = {
  async 'mtls-no-certificate'(lab) {
    const { id } = await lab.newClient({ grants: ['client_credentials'], more: CERTIFICATE });
    return lab.post('token', undefined, { ...(await lab.machineForm()), client_id: id });
  },
  async 'mtls-secret-instead'(lab) {
    const secret = lab.random.next(32);
    const { id } = await lab.newClient({ grants: ['client_credentials'], more: { ...CERTIFICATE, secret } });
    return lab.post('token', undefined, await lab.machineForm(), { headers: { authorization: basic(id, secret) } });
  },
  async 'mtls-unbound-token'(lab) {
    const more = { tlsClientCertificateBoundAccessTokens: true };
    const client = await lab.newClient({ grants: ['client_credentials'], more });
    return lab.post('token', client, await lab.machineForm());
  },
};
