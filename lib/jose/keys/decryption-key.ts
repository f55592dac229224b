import { createPublicKey, type KeyObject } from 'node:crypto';
import { assertConfig } from '../../errors/configuration-error.js';
import { KEY_MANAGEMENT_ALGORITHMS, type KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk } from '../jwk.js';
import { type KeyMaterial, keyIdOf, type PemKey, privateKey, verifyRsaLength } from './key-material.js';

/** A key that others encrypt to. */
export interface DecryptionKey {
  readonly kid: string;
  /** The one algorithm that it is for. RFC 8725 §3.1 */
  readonly alg: KeyManagementAlgorithm;
  /** What everybody may know of it. RFC 7517 §4 */
  readonly publicJwk: Jwk;
  /** The private half. */
  readonly key: KeyObject;
}

/** Is a key given for that? One key does not do both. RFC 7517 §4.2 */
export const isForDecryption = (material: KeyMaterial): material is Jwk | PemKey =>
  (material as Jwk | undefined)?.use === 'enc';

/** @throws InvalidArgumentError with a sentence for what is no private key, or a weak one */
export function decryptionKey(material: Jwk | PemKey): DecryptionKey {
  const { key, kid, ...given } = privateKey(material);
  const fit = algorithmsOf(key);
  const alg = (given.alg ?? fit[0]) as KeyManagementAlgorithm;
  assertConfig(
    fit.includes(alg),
    `a key of the type \`${key.asymmetricKeyType}\` does not decrypt by \`${String(alg)}\``,
  );
  const jwk = createPublicKey(key).export({ format: 'jwk' }) as Jwk;
  const name = keyIdOf(jwk, kid);
  return { kid: name, alg, key, publicJwk: { ...jwk, kid: name, alg, use: 'enc' } };
}

/** What a key may be for, the usual one first. */
function algorithmsOf(key: KeyObject): readonly KeyManagementAlgorithm[] {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') {
    verifyRsaLength(key);
    return ['RSA-OAEP-256'];
  }
  const isCurve = type === 'x25519' || (type === 'ec' && CURVES.includes(details?.namedCurve));
  assertConfig(isCurve, 'a key that decrypts is for P-256, P-384, P-521, X25519 or RSA');
  return KEY_MANAGEMENT_ALGORITHMS.filter((alg) => alg.startsWith('ECDH'));
}

/** As OpenSSL calls them. RFC 7518 §6.2.1.1 */
const CURVES: readonly unknown[] = ['prime256v1', 'secp384r1', 'secp521r1'];
