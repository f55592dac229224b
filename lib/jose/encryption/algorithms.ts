/**
 * The name of a key management algorithm for encrypted JWTs. All use a key pair of the recipient. RSA1_5 and RSA-OAEP
 * (with SHA-1) are not supported. Algorithms with shared secrets are not, because the server would have to store the
 * secrets in readable form. RFC 7518 §4.1, RFC 8725 §3.2
 */
export type KeyManagementAlgorithm = 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A256KW' | 'RSA-OAEP-256';

/** All supported key management algorithms. */
export const KEY_MANAGEMENT_ALGORITHMS: readonly KeyManagementAlgorithm[] = [
  'ECDH-ES',
  'ECDH-ES+A128KW',
  'ECDH-ES+A256KW',
  'RSA-OAEP-256',
];

export const isKeyManagementAlgorithm = (alg: unknown): alg is KeyManagementAlgorithm =>
  KEY_MANAGEMENT_ALGORITHMS.some((one) => one === alg);

/** The name of an algorithm that encrypts the content of a JWT. RFC 7518 §5.1 */
export type ContentEncryption = 'A128CBC-HS256' | 'A256CBC-HS512' | 'A128GCM' | 'A256GCM';

/** All supported content encryption algorithms. */
export const CONTENT_ENCRYPTION_ALGORITHMS: readonly ContentEncryption[] = [
  'A128CBC-HS256',
  'A256CBC-HS512',
  'A128GCM',
  'A256GCM',
];

/**
 * The content encryption for clients that have registered encryption without `enc`. OpenID Connect Registration §2,
 * JARM §3, RFC 9701 §6
 */
export const DEFAULT_CONTENT_ENCRYPTION: ContentEncryption = 'A128CBC-HS256';
