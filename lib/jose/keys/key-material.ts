import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { assertConfig, configurationError } from '../../errors/configuration-error.js';
import type { Awaitable } from '../../model/model.js';
import type { SigningAlgorithm } from '../algorithms.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk } from '../jwk.js';

/** A signing key in a KMS or HSM, which the private key never leaves. */
export interface Signer {
  alg: SigningAlgorithm;
  /** The public key as a JWK. */
  publicKey: Jwk;
  /** The key ID in the header of tokens. Default: the JWK thumbprint of the public key. RFC 7638 */
  kid?: string;
  /**
   * Signs bytes with the private key.
   * @returns The signature in JWS format. For ES256 this means the two 32-byte values in sequence, not DER.
   * RFC 7515 §5.1, RFC 7518 §3.4
   */
  sign(data: Uint8Array): Awaitable<Uint8Array>;
}

/** A private key as PEM (PKCS #8 or a format of OpenSSL), with properties that PEM cannot contain. */
export interface PemKey {
  pem: string;
  /**
   * The algorithm of the key. It is required for an RSA key that signs: RS256, RS384, RS512, PS256, PS384 or PS512.
   * Default for other signing keys: ES256, ES384 or ES512 by their curve, Ed25519, or ML-DSA by its parameter set.
   * Default for decryption keys: RSA-OAEP-256 for RSA, otherwise ECDH-ES.
   */
  alg?: SigningAlgorithm | KeyManagementAlgorithm;
  kid?: string;
  /** The use of the key: `'sig'` to sign, `'enc'` to decrypt. Default: `'sig'`. RFC 7517 §4.2 */
  use?: 'sig' | 'enc';
}

/** A private key: a JWK, a PEM text, a PEM text with properties, or a signer. A key with `use: 'enc'` decrypts. */
export type KeyMaterial = Jwk | string | PemKey | Signer;

/**
 * Imports a private key from a JWK or PEM text.
 * @throws {InvalidArgumentError} If the material is not a private key.
 */
export function privateKey(material: Jwk | string | PemKey) {
  const given = typeof material === 'string' ? { pem: material } : (material ?? {});
  const { pem, alg, kid } = given as Partial<PemKey>;
  const key = readKey(
    () => createPrivateKey(pem === undefined ? { key: given as Jwk, format: 'jwk' } : pem),
    'a key of `keys()` is invalid: it must be a private JWK, a PEM text or a signer',
  );
  return { key, alg, kid };
}

export function readKey(parse: () => KeyObject, message: string): KeyObject {
  try {
    return parse();
  } catch {
    // Do not report the parser's error: it may contain parts of the key.
    throw configurationError(message);
  }
}

/**
 * Returns the key ID: the configured `kid`, or the JWK thumbprint of the key.
 * @throws {InvalidArgumentError} If `kid` is not a non-empty string.
 */
export function keyIdOf(jwk: Jwk, kid: unknown): string {
  const name = kid ?? thumbprint(jwk);
  assertConfig(typeof name === 'string' && name !== '', 'the `kid` of a key must be a non-empty string');
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

/**
 * Verifies the length of an RSA key. RFC 7518 §3.3, §4.3
 * @throws {InvalidArgumentError} If the key has fewer than 2048 bits.
 */
export function verifyRsaLength({ asymmetricKeyDetails: details }: KeyObject): void {
  assertConfig((details?.modulusLength ?? 0) >= 2048, 'an RSA key must have at least 2048 bits');
}
