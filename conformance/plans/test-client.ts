import { createPrivateKey } from 'node:crypto';

import type { Certificate } from '../host/certificate.js';
import { type ClientKeys, GENERATORS } from './keys.js';

/** A client with keys that are generated for one run. */
export interface TestClient {
  id: string;
  keys: ClientKeys;
  /** The client certificate, for one of the client's public keys. */
  certificate: Certificate;
  /** The client authentication method that uses the certificate. RFC 8705 §2 */
  tlsMethod: 'tls_client_auth' | 'self_signed_tls_client_auth';
}

export async function newTestClient(
  id: string,
  alg: 'ES256' | 'PS256',
  tlsMethod: TestClient['tlsMethod'],
  { newKeys, selfSigned } = GENERATORS,
): Promise<TestClient> {
  const keys = await newKeys(alg);
  const certificate = await selfSigned(id);
  const { d: _, ...shown } = createPrivateKey(certificate.key).export({ format: 'jwk' });
  const x5c = [certificate.cert.replaceAll(/-----[A-Z ]+-----|\s/g, '')];
  keys.public.keys.push({ ...shown, kid: `${id}-tls`, alg: 'ES256', use: 'sig', x5c });
  return { id, keys, certificate, tlsMethod };
}
