import type { ClientAuthentication } from '../../contracts/client-authentication.js';
import { InvalidClientError, type RefusalDetail } from '../../errors/index.js';
import { requesterNetwork } from '../../http/network.js';
import { fetchFailure } from '../../remote/fetch-failure.js';
import { readCertificateNames } from '../../clients/certificates/certificate-names.js';
import type { ClientCertificate, ClientCertificates } from './client-certificate.js';
import type { RegisteredKeys } from './registered-keys.js';
import { registeredName } from '../../clients/registration/registered-names.js';

/**
 * Returns the error for a client certificate that is not accepted. The reason is logged and not returned to the client.
 */
const certificateError = (detail: RefusalDetail) =>
  new InvalidClientError('Invalid client: the client certificate is not accepted').because(detail);

/**
 * The client authentication method `tls_client_auth`: a certificate from a trusted certificate authority, with the name
 * that the client has registered. RFC 8705 §2.1
 */
export const tlsClientAuth = (certificates: ClientCertificates): ClientAuthentication => ({
  method: 'tls_client_auth',
  verifyCredentials(_claim, client, { request }) {
    const certificate = verifyCurrent(certificates.of(request));
    if (!certificate.isVerified)
      throw certificateError({ reason: 'the certificate chain was not verified where TLS is terminated' });
    const registered = registeredName(client);
    if (!registered) {
      throw certificateError({
        reason: 'client has not registered exactly one certificate name, such as `tls_client_auth_san_dns`',
      });
    }
    const { kind, name: expected, comparable } = registered;
    const given = readCertificateNames(certificate.x509.raw)?.[kind] ?? [];
    if (given.includes(comparable)) return;
    throw certificateError({
      reason: `certificate does not contain the registered name (${kind})`,
      expected,
      given,
    });
  },
});

/**
 * The client authentication method `self_signed_tls_client_auth`: a certificate that the client has registered itself.
 * RFC 8705 §2.2
 */
export const selfSignedTlsClientAuth = (
  certificates: ClientCertificates,
  registered: RegisteredKeys,
): ClientAuthentication => ({
  method: 'self_signed_tls_client_auth',
  async verifyCredentials(_claim, client, { request }) {
    const { x509 } = verifyCurrent(certificates.of(request));
    if (await isRegistered(registered.includes(x509, client, requesterNetwork(request)))) return;
    throw certificateError({
      reason: "certificate and its key are unknown: the client's `jwks` or `jwksUri` must contain one of them",
    });
  },
});

/** Awaits a lookup of the client's keys, and converts a failed fetch to an OAuth error. */
async function isRegistered(lookUp: Promise<boolean>): Promise<boolean> {
  try {
    return await lookUp;
  } catch (error) {
    throw fetchFailure(error, 'The keys of a client', (given) =>
      certificateError({ reason: "the client's keys could not be fetched", given }),
    );
  }
}

/**
 * Verifies that the request has a certificate, and that it is valid now, because a TLS connection can outlive its
 * certificate.
 * @param certificate The certificate, or a text that explains why it is missing.
 * @throws {InvalidClientError} If there is no valid certificate.
 */
function verifyCurrent(certificate: ClientCertificate | string): ClientCertificate {
  if (typeof certificate === 'string') throw certificateError({ reason: certificate });
  const { validFrom, validTo } = certificate.x509;
  const now = Date.now();
  if (Date.parse(validFrom) <= now && now <= Date.parse(validTo)) return certificate;
  throw certificateError({ reason: 'certificate is expired or not yet valid', given: `${validFrom} to ${validTo}` });
}
