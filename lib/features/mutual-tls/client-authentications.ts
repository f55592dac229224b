import type { ClientAuthentication } from '../../contracts/client-authentication.js';
import { InvalidClientError, type RefusalDetail } from '../../errors/index.js';
import { requesterNetwork } from '../../http/network.js';
import { fetchFailure } from '../../remote/fetch-failure.js';
import { readCertificateNames } from '../../clients/registration/certificate-names.js';
import type { ClientCertificate, ClientCertificates } from './client-certificate.js';
import type { RegisteredKeys } from './registered-keys.js';
import { registeredName } from '../../clients/registration/registered-names.js';

/** A certificate that proves nothing: what is wrong with it, only the operator hears. */
const certificateError = (detail: RefusalDetail) =>
  new InvalidClientError('Invalid client: the client certificate is not accepted').because(detail);

/** A certificate of an authority that this server trusts, with the name that the client is registered by. RFC 8705 §2.1 */
export const tlsClientAuth = (certificates: ClientCertificates): ClientAuthentication => ({
  method: 'tls_client_auth',
  verifyCredentials(_claim, client, { request }) {
    const certificate = verifyCurrent(certificates.of(request));
    if (!certificate.isVerified)
      throw certificateError({ reason: 'the chain of the certificate is verified where TLS ends' });
    const registered = registeredName(client);
    if (!registered) {
      throw certificateError({ reason: 'the client is registered by one name of its certificate, and one alone' });
    }
    const { kind, name: wanted, comparable } = registered;
    const given = readCertificateNames(certificate.x509.raw)?.[kind] ?? [];
    if (given.includes(comparable)) return;
    throw certificateError({
      reason: `the certificate has the name that the client is registered by, as ${kind}`,
      expected: wanted,
      given,
    });
  },
});

/** A certificate that the client has made and registered itself. RFC 8705 §2.2 */
export const selfSignedTlsClientAuth = (
  certificates: ClientCertificates,
  registered: RegisteredKeys,
): ClientAuthentication => ({
  method: 'self_signed_tls_client_auth',
  async verifyCredentials(_claim, client, { request }) {
    const { x509 } = verifyCurrent(certificates.of(request));
    if (await isRegistered(registered.includes(x509, client, requesterNetwork(request)))) return;
    throw certificateError({
      reason: 'the certificate, or its key, is one of the `jwks` or at the `jwksUri` of the client',
    });
  },
});

/** Converts a failed fetch of the client's keys to an OAuth error. */
async function isRegistered(found: Promise<boolean>): Promise<boolean> {
  try {
    return await found;
  } catch (error) {
    throw fetchFailure(error, 'The keys of a client', (given) =>
      certificateError({ reason: 'the keys of the client can be fetched', given }),
    );
  }
}

/** By now: a connection, or a session of TLS, may be older than the end of the certificate. */
function verifyCurrent(found: ClientCertificate | string): ClientCertificate {
  if (typeof found === 'string') throw certificateError({ reason: found });
  const { validFrom, validTo } = found.x509;
  const now = Date.now();
  if (Date.parse(validFrom) <= now && now <= Date.parse(validTo)) return found;
  throw certificateError({ reason: 'the certificate is good now', given: `${validFrom} to ${validTo}` });
}
