import { createPublicKey, type KeyObject } from 'node:crypto';
import { assertConfig } from '../../errors/configuration-error.js';
import { KEY_MANAGEMENT_ALGORITHMS, type KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk } from '../jwk.js';
import { type KeyMaterial, keyIdOf, type PemKey, privateKey, verifyRsaLength } from './key-material.js';

/** A private key of the server that decrypts values which clients have encrypted to the server. */
export interface DecryptionKey {
  readonly kid: string;
  /** The only algorithm that the key is used with. RFC 8725 §3.1 */
  readonly alg: KeyManagementAlgorithm;
  /** The public JWK of the key. RFC 7517 §4 */
  readonly publicJwk: Jwk;
  /** The private key. */
  readonly key: KeyObject;
}

/** Whether a configured key is for decryption (`use: 'enc'`). A key must not both sign and decrypt. RFC 7517 §4.2 */
export const isForDecryption = (material: KeyMaterial): material is Jwk | PemKey =>
  (material as Jwk | undefined)?.use === 'enc';

/**
 * Creates a decryption key from a private JWK or PEM key.
 * @throws {InvalidArgumentError} If the material is not a private key, the key is weak, or it does not support its
 * `alg`.
 */
export function decryptionKey(material: Jwk | PemKey): DecryptionKey {
  const { key, kid, ...given } = privateKey(material);
  const supported = algorithmsOf(key);
  const alg = (given.alg ?? supported[0]) as KeyManagementAlgorithm;
  assertConfig(
    supported.includes(alg),
    `a key of type \`${key.asymmetricKeyType}\` does not support decryption with \`${String(alg)}\``,
  );
  const jwk = createPublicKey(key).export({ format: 'jwk' }) as Jwk;
  const name = keyIdOf(jwk, kid);
  return { kid: name, alg, key, publicJwk: { ...jwk, kid: name, alg, use: 'enc' } };
}

/** Returns the key management algorithms that a key supports, the default first. */
function algorithmsOf(key: KeyObject): readonly KeyManagementAlgorithm[] {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') {
    verifyRsaLength(key);
    return ['RSA-OAEP-256'];
  }
  const isCurve = type === 'x25519' || (type === 'ec' && CURVES.includes(details?.namedCurve));
  assertConfig(isCurve, 'a decryption key must be for P-256, P-384, P-521, X25519 or RSA');
  return KEY_MANAGEMENT_ALGORITHMS.filter((alg) => alg.startsWith('ECDH'));
}

/** The supported curves by their OpenSSL names. RFC 7518 §6.2.1.1 */
const CURVES: readonly unknown[] = ['prime256v1', 'secp384r1', 'secp521r1'];
