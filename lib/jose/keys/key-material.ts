import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { assertConfig, configurationError } from '../../errors/configuration-error.js';
import type { Awaitable } from '../../model/model.js';
import type { SigningAlgorithm } from '../algorithms.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk } from '../jwk.js';

/** A key that stays where it is, in a KMS or an HSM. */
export interface Signer {
  alg: SigningAlgorithm;
  /** The public half. */
  publicKey: Jwk;
  /** Its name in tokens. Default: the thumbprint of the public half. RFC 7638 */
  kid?: string;
  /** @returns the signature of these bytes as JWS has it: of ES256 both halves, 32 bytes each. RFC 7515 §5.1, RFC 7518 §3.4 */
  sign(data: Uint8Array): Awaitable<Uint8Array>;
}

/** A private key as PEM (PKCS #8, or what OpenSSL writes), with what PEM cannot say. */
export interface PemKey {
  pem: string;
  /**
   * The algorithm of the key. An RSA key that signs needs it: RS256, RS384, RS512, PS256, PS384 or PS512. Default of other keys that
   * sign: ES256, ES384 or ES512 by their curve, Ed25519, or ML-DSA by its parameter set. Default of keys that decrypt: RSA-OAEP-256
   * for RSA, ECDH-ES for all others.
   */
  alg?: SigningAlgorithm | KeyManagementAlgorithm;
  kid?: string;
  /** `enc`: others encrypt to it, and it signs nothing. Default: it signs. RFC 7517 §4.2 */
  use?: 'sig' | 'enc';
}

/** A private key: a JWK, PEM, or whoever signs with it. A JWK with the `use` `enc` decrypts. */
export type KeyMaterial = Jwk | string | PemKey | Signer;

/** @throws InvalidArgumentError with a sentence for what is no private key */
export function privateKey(material: Jwk | string | PemKey) {
  const given = typeof material === 'string' ? { pem: material } : (material ?? {});
  const { pem, alg, kid } = given as Partial<PemKey>;
  const key = readKey(
    () => createPrivateKey(pem === undefined ? { key: given as Jwk, format: 'jwk' } : pem),
    'a key is a private JWK, PEM, or a signer, and one that is given to `keys()` is none of these',
  );
  return { key, alg, kid };
}

export function readKey(parse: () => KeyObject, message: string): KeyObject {
  try {
    return parse();
  } catch {
    // What the parser says may show parts of the key.
    throw configurationError(message);
  }
}

/** What a key is called. */
export function keyIdOf(jwk: Jwk, kid: unknown): string {
  const name = kid ?? thumbprint(jwk);
  assertConfig(typeof name === 'string' && name !== '', 'the `kid` of a key is text');
  return name;
}

/** Returns the JWK thumbprint of a key. RFC 7638 §3, RFC 9964 §6 */
export function thumbprint({ alg, crv, e, kty, n, pub, x, y }: Jwk & { pub?: string }): string {
  const ownAlg = kty === 'AKP' ? alg : undefined;
  const members = Object.entries({ alg: ownAlg, crv, e, kty, n, pub, x, y }).filter(([, value]) => value !== undefined);
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('base64url');
}

/** Of RSA. RFC 7518 §3.3, §4.3 */
export function verifyRsaLength({ asymmetricKeyDetails: details }: KeyObject): void {
  assertConfig((details?.modulusLength ?? 0) >= 2048, 'an RSA key has 2048 bits at least');
}
