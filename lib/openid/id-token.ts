import { hash } from 'node:crypto';
import { ServerError } from '../errors.js';
import type { SigningAlgorithm } from '../jose/algorithms.js';
import type { Encrypt } from '../jose/encryption/find-encryption.js';
import type { KeyRing } from '../jose/keys/key-ring.js';
import type { SigningKey } from '../jose/keys/signing-key.js';

/** An ID token that is all but signed: what can fail without a key's owner has been done. OpenID Connect Core §2 */
export interface PreparedIdToken {
  readonly key: SigningKey;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Of a client that has registered it. OpenID Connect Core §10.2 */
  readonly encrypt: Encrypt | undefined;
}

/** What stands beside an ID token, to which it is bound. */
interface Beside {
  accessToken?: string | undefined;
  code?: string | undefined;
}

/** @throws ServerError where no key signs by this algorithm */
export async function signingKeyFor(ring: KeyRing, alg: SigningAlgorithm): Promise<SigningKey> {
  const key = await ring.current(alg);
  if (key) return key;
  throw new ServerError(`Server error: there is no key that signs ID tokens by ${alg}`);
}

/** Signs it, bound to what it is given out with, and encrypts it then. OpenID Connect Core §3.1.3.6, §3.3.2.11, §16.14 */
export async function signIdToken(
  { key, claims, encrypt }: PreparedIdToken,
  { accessToken, code }: Beside,
): Promise<string> {
  const bound = {
    ...claims,
    ...(accessToken !== undefined && { at_hash: halfHash(accessToken, key.alg) }),
    ...(code !== undefined && { c_hash: halfHash(code, key.alg) }),
  };
  const signed = await key.sign({ typ: 'JWT' }, bound);
  return encrypt ? await encrypt(signed, 'JWT') : signed;
}

/** The left half of a hash, by the hash function of the signature; Ed25519 has SHA-512 inside. */
function halfHash(value: string, alg: SigningAlgorithm): string {
  const digest = hash(alg === 'Ed25519' || alg === 'EdDSA' ? 'sha512' : 'sha256', value, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
