/** The signature algorithms of post-quantum keys. RFC 9964 */
const ML_DSA = ['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'] as const;

/** The digital signature algorithms of RFC 7518 §3.1, RFC 8037 §3.1 and RFC 9864 §2, the default of a server first. */
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

/** A signature algorithm with a public key: JWTs are never signed by a shared secret or not at all. ML-DSA needs Node.js 24.7 or later. */
export type SigningAlgorithm = (typeof STANDARD_ALGORITHMS)[number] | (typeof ML_DSA)[number];

/**
 * Whether this Node.js signs and verifies by ML-DSA: its OpenSSL is 3.5 or later, and its Web Crypto API has the algorithm. That came
 * together with `SubtleCrypto.supports()`, which is not called: it prints a warning.
 */
function hasMlDsa(): boolean {
  const { SubtleCrypto: subtle } = globalThis as { SubtleCrypto?: object };
  const [major = 0, minor = 0] = (process.versions['openssl'] ?? '').split('.').map(Number);
  return subtle !== undefined && 'supports' in subtle && (major > 3 || (major === 3 && minor >= 5));
}

/** The signature algorithms that this Node.js supports. */
export const ALGORITHMS: readonly SigningAlgorithm[] = hasMlDsa()
  ? [...STANDARD_ALGORITHMS, ...ML_DSA]
  : STANDARD_ALGORITHMS;

/** Whether an option is a list of supported signature algorithms with one at least. */
export const areAlgorithms = (given: unknown): given is readonly SigningAlgorithm[] =>
  Array.isArray(given) && given.length > 0 && given.every((one: SigningAlgorithm) => ALGORITHMS.includes(one));

/** The supported algorithms, for messages to developers. */
export const ALGORITHM_NAMES = `${ALGORITHMS.join(', ')}${
  ALGORITHMS === STANDARD_ALGORITHMS ? ` (ML-DSA needs Node.js 24.7 or later, and this is ${process.version})` : ''
}`;

/** The hash function inside a signature algorithm. ML-DSA has SHAKE256. OpenID Connect Core §3.1.3.6 */
export function hashOf(alg: SigningAlgorithm): 'sha256' | 'sha384' | 'sha512' | 'shake256' {
  if (alg.startsWith('ML-DSA')) return 'shake256';
  if (alg === 'Ed25519' || alg === 'EdDSA') return 'sha512';
  return `sha${alg.slice(2)}` as 'sha256';
}
