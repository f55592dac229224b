import { accepts, isSomeOf } from '../options/value-checks.js';

/** The post-quantum signature algorithms. RFC 9964 */
const ML_DSA = ['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'] as const;

/**
 * The standard signature algorithms. The first one is the default of `keys()`. RFC 7518 §3.1, RFC 8037 §3.1,
 * RFC 9864 §2
 */
const STANDARD_ALGORITHMS = [
  'ES256',
  'PS256',
  'RS256',
  'Ed25519',
  'EdDSA',
  'ES384',
  'PS384',
  'RS384',
  'ES512',
  'PS512',
  'RS512',
] as const;

/**
 * The name of an asymmetric signature algorithm. HMAC algorithms and `none` are excluded. ML-DSA requires Node.js 24.7
 * or later.
 */
export type SigningAlgorithm = (typeof STANDARD_ALGORITHMS)[number] | (typeof ML_DSA)[number];

/**
 * Whether this Node.js supports ML-DSA: it needs OpenSSL 3.5 or later, and ML-DSA in the Web Crypto API.
 * `SubtleCrypto.supports` was added together with the latter, so its presence is checked. It is not called, because a
 * call prints a warning.
 */
function hasMlDsa(): boolean {
  const { SubtleCrypto: subtle } = globalThis as { SubtleCrypto?: object };
  const [major = 0, minor = 0] = (process.versions['openssl'] ?? '').split('.').map(Number);
  return subtle !== undefined && 'supports' in subtle && (major > 3 || (major === 3 && minor >= 5));
}

/** The signature algorithms that the running Node.js supports. */
export const ALGORITHMS: readonly SigningAlgorithm[] = hasMlDsa()
  ? [...STANDARD_ALGORITHMS, ...ML_DSA]
  : STANDARD_ALGORITHMS;

/** The supported signature algorithms as text, for error messages to developers. */
export const ALGORITHM_NAMES = `${ALGORITHMS.join(', ')}${
  ALGORITHMS === STANDARD_ALGORITHMS ? ` (ML-DSA requires Node.js 24.7 or later; this is ${process.version})` : ''
}`;

/** Accepts a non-empty list of supported signature algorithms, as the option of a feature. */
export const SIGNING_ALGORITHMS = accepts<readonly SigningAlgorithm[]>(`a list of ${ALGORITHM_NAMES}`, (value) =>
  isSomeOf(value, (one) => ALGORITHMS.includes(one as SigningAlgorithm)),
);

/**
 * Returns the hash function that a signature algorithm uses. It also computes `at_hash` and `c_hash`. ML-DSA uses
 * SHAKE256. OpenID Connect Core §3.1.3.6
 */
export function hashOf(alg: SigningAlgorithm): 'sha256' | 'sha384' | 'sha512' | 'shake256' {
  if (alg.startsWith('ML-DSA')) return 'shake256';
  if (alg === 'Ed25519' || alg === 'EdDSA') return 'sha512';
  return `sha${alg.slice(2)}` as 'sha256';
}
