/**
 * How the key of an encrypted answer travels: to a key pair of the client alone. RSA1_5 and RSA-OAEP, which is bound to SHA-1, are left
 * out, and so are secrets that the server would have to keep readable. RFC 7518 §4.1, RFC 8725 §3.2
 */
export type KeyManagementAlgorithm = 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A256KW' | 'RSA-OAEP-256';

/** All of them. */
export const KEY_MANAGEMENT_ALGORITHMS: readonly KeyManagementAlgorithm[] = [
  'ECDH-ES',
  'ECDH-ES+A128KW',
  'ECDH-ES+A256KW',
  'RSA-OAEP-256',
];

export const isKeyManagementAlgorithm = (alg: unknown): alg is KeyManagementAlgorithm =>
  KEY_MANAGEMENT_ALGORITHMS.some((one) => one === alg);

/** What an answer itself is encrypted by. RFC 7518 §5.1 */
export type ContentEncryption = 'A128CBC-HS256' | 'A256CBC-HS512' | 'A128GCM' | 'A256GCM';

/** All of them. */
export const CONTENT_ENCRYPTION_ALGORITHMS: readonly ContentEncryption[] = [
  'A128CBC-HS256',
  'A256CBC-HS512',
  'A128GCM',
  'A256GCM',
];

/** Of a client that says nothing of it. OpenID Connect Registration §2, JARM §3, RFC 9701 §6 */
export const DEFAULT_CONTENT_ENCRYPTION: ContentEncryption = 'A128CBC-HS256';
