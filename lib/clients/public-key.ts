import { hasPrivateMember } from './private-members.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * The JWK members of public keys, by key type (`kty`). Except for RSA, the first one is the curve or parameter set.
 * RFC 7638 §3.2, RFC 8037 §2, RFC 9964 §6
 */
const MEMBERS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['EC', ['crv', 'x', 'y']],
  ['OKP', ['crv', 'x']],
  ['RSA', ['e', 'n']],
  ['AKP', ['alg', 'pub']],
]);

/** The supported curves and parameter sets, by key type (`kty`). RFC 7518 §6.2.1.1, RFC 8037 §2, RFC 9964 §4 */
const KINDS: ReadonlyMap<unknown, readonly unknown[]> = new Map([
  ['EC', ['P-256', 'P-384', 'P-521']],
  ['OKP', ['Ed25519', 'X25519']],
  ['AKP', ['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87']],
]);

/**
 * Minimum and maximum bits of an RSA modulus. Shorter keys are weak, longer keys are expensive to verify with.
 * RFC 7518 §3.3, §4.3
 */
const [SHORTEST_MODULUS, LONGEST_MODULUS] = [2048, 4096];
/** Maximum bits of an RSA public exponent, because each bit costs a multiplication. 65537 has 17 bits. */
const MAX_EXPONENT = 33;
/** Maximum length of a JWK member in characters: that of an ML-DSA-87 public key. */
const MAX_MEMBER_LENGTH = 3456;

/**
 * Returns why a public JWK of a client is rejected. `undefined` if the key is accepted. An RSA key with a long modulus
 * or exponent could cost the server up to a thousand times the usual verification. RFC 8725 §3.5
 */
export function findPublicKeyError(jwk: Members): string | undefined {
  if (hasPrivateMember(jwk)) return 'the key must not have private members';
  const { kty } = jwk;
  const names = MEMBERS.get(kty);
  if (!names) return 'the key type must be EC, OKP, RSA or AKP';
  if (!isKnownKind(jwk)) return `a key of type ${String(kty)} must be for ${KINDS.get(kty)!.join(', ')}`;
  const isWhole = names.every((name) => {
    const value = jwk[name];
    return typeof value === 'string' && value.length <= MAX_MEMBER_LENGTH && /^[\w-]+$/.test(value);
  });
  if (!isWhole) return `a key of type ${String(kty)} must have ${names.join(', ')} as base64url`;
  return kty === 'RSA' ? findRsaError(bytesOf(jwk['n']), bytesOf(jwk['e'])) : undefined;
}

/** Whether the library supports the key type and the curve or parameter set of a JWK. RFC 7517 §5 */
export function isKnownKind(jwk: Members): boolean {
  const names = MEMBERS.get(jwk['kty']);
  return names !== undefined && (KINDS.get(jwk['kty'])?.includes(jwk[names[0]!]) ?? true);
}

/**
 * Returns only the members of a public key that define it, including `kty`.
 * @param jwk A key that `findPublicKeyError()` accepts.
 */
export function publicKeyMembers(jwk: Members): { kty: string } & Record<string, string> {
  const names = ['kty', ...MEMBERS.get(jwk['kty'])!];
  return Object.fromEntries(names.map((name) => [name, jwk[name]])) as ReturnType<typeof publicKeyMembers>;
}

function findRsaError(modulus: Buffer, exponent: Buffer): string | undefined {
  const bits = bitsOf(modulus);
  if (bits < SHORTEST_MODULUS || bits > LONGEST_MODULUS) {
    return `an RSA modulus must have ${SHORTEST_MODULUS} to ${LONGEST_MODULUS} bits`;
  }
  const isOdd = ((exponent.at(-1) ?? 0) & 1) === 1;
  if (bitsOf(exponent) > MAX_EXPONENT || bitsOf(exponent) < 2 || !isOdd) {
    return `an RSA public exponent must be odd, 3 or more, and have ${MAX_EXPONENT} bits at most`;
  }
  return undefined;
}

const bytesOf = (text: unknown) => Buffer.from(text as string, 'base64url');

/** Returns the length of a big-endian number in bits. */
function bitsOf(bytes: Buffer): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (bytes.length - first) * 8 - (Math.clz32(bytes[first]!) - 24);
}
