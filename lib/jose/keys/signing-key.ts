import { createPublicKey, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import { ServerError } from '../../errors/index.js';
import { assertConfig, configurationError } from '../../errors/configuration-error.js';
import { isObject } from '../../http/is-object.js';
import { ALGORITHM_NAMES, ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import { signCompactJws } from '../compact-jws.js';
import type { Jwk } from '../jwk.js';
import { signerFor } from '../signatures.js';
import {
  type KeyMaterial,
  keyIdOf,
  type PemKey,
  privateKey,
  readKey,
  type Signer,
  verifyRsaLength,
} from './key-material.js';

/** A key that signs JWTs. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  /** The public JWK of the key. RFC 7517 §4 */
  readonly publicJwk: Jwk;
  /** Signs a payload and returns the JWS in compact form. RFC 7515 §7.1 */
  sign(header: { typ: string }, payload: object): Promise<string>;
}

/**
 * Creates a signing key from a private JWK, a PEM key or a signer.
 * @throws {InvalidArgumentError} If the material is none of these, the key is weak, or it does not support its `alg`.
 */
export function signingKey(material: KeyMaterial): SigningKey {
  const { alg } = (isObject(material) ? material : {}) as { alg?: unknown };
  // Check this before the key is parsed: the error of OpenSSL would only say that the key is unknown.
  if (String(alg).startsWith('ML-DSA') && !ALGORITHMS.some((one) => one === alg)) {
    throw configurationError(
      `\`${String(alg)}\` is not supported. The \`alg\` of a key must be one of ${ALGORITHM_NAMES}`,
    );
  }
  return isSigner(material) ? externalSigningKey(material) : localSigningKey(material);
}

const isSigner = (material: unknown): material is Signer =>
  isObject(material) && typeof material['sign'] === 'function';

function externalSigningKey(signer: Signer): SigningKey {
  const { alg, kid, publicKey } = signer;
  const key = readKey(
    () => createPublicKey({ key: publicKey, format: 'jwk' }),
    '`publicKey` of a signer must be a public JWK',
  );
  const identity = publicHalf(key, { alg, kid });
  const length = lengthOf(identity.alg, key);
  return {
    ...identity,
    sign: (header, payload) =>
      signCompactJws({ alg, kid: identity.kid, ...header }, payload, async (input) => {
        const signature = await signer.sign(Buffer.from(input));
        if (signature.length !== length) throw wrongSignatureLength(identity, signature, length);
        return signature;
      }),
  };
}

/**
 * The number of bytes of elliptic curve and ML-DSA signatures. Algorithms that are not listed, such as ES256 and
 * Ed25519, have 64. RFC 7518 §3.4, RFC 8037 §3.1, RFC 9964 §4
 */
const LENGTHS: Readonly<Record<string, number>> = {
  ES384: 96,
  ES512: 132,
  'ML-DSA-44': 2420,
  'ML-DSA-65': 3309,
  'ML-DSA-87': 4627,
};

/** Returns the number of bytes of a signature. RFC 7518 §3.3 */
const lengthOf = (alg: SigningAlgorithm, { asymmetricKeyDetails: details }: KeyObject) =>
  details?.modulusLength === undefined ? (LENGTHS[alg] ?? 64) : Math.ceil(details.modulusLength / 8);

/**
 * Returns the error for a signature of the wrong length. Most key services return ES256 signatures in DER format, which
 * APIs cannot verify.
 */
const wrongSignatureLength = (
  { alg, kid }: { alg: string; kid: string },
  { length }: Uint8Array,
  expectedLength: number,
) =>
  new ServerError(
    `Server error: the signer \`${kid}\` returned ${length} bytes. A JWS signature with ${alg} must have ${expectedLength} bytes and no DER encoding`,
  );

function localSigningKey(material: Jwk | string | PemKey): SigningKey {
  const { key, alg, kid } = privateKey(material);
  const identity = publicHalf(createPublicKey(key), { alg, kid });
  const signText = signerFor(identity.alg, key);
  return {
    ...identity,
    async sign(header, payload) {
      const protectedHeader = { alg: identity.alg, kid: identity.kid, ...header };
      if (signText) return await signCompactJws(protectedHeader, payload, signText);
      return await new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader(protectedHeader).sign(key);
    },
  };
}

/**
 * Returns the key ID, the algorithm and the public JWK of a key.
 * @throws {InvalidArgumentError} If the key does not support the algorithm.
 */
function publicHalf(key: KeyObject, { alg, kid }: { alg: unknown; kid: unknown }): Omit<SigningKey, 'sign'> {
  const supported = algorithmsOf(key);
  const algorithm = (alg ?? supported[0]) as SigningAlgorithm;
  if (key.asymmetricKeyType === 'rsa' && alg === undefined) {
    throw configurationError(`an RSA key requires an \`alg\`: one of ${supported.join(', ')}`);
  }
  assertConfig(
    supported.includes(algorithm),
    `a key of type \`${key.asymmetricKeyType}\` does not support signatures with \`${String(alg)}\``,
  );
  const jwk = key.export({ format: 'jwk' }) as Jwk;
  const name = keyIdOf(jwk, kid);
  return { kid: name, alg: algorithm, publicJwk: { ...jwk, kid: name, alg: algorithm, use: 'sig' } };
}

/** Returns the signature algorithms that a key supports, the default first. */
function algorithmsOf(key: KeyObject): readonly SigningAlgorithm[] {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') {
    verifyRsaLength(key);
    return RSA;
  }
  const alg = ALGORITHMS_BY_TYPE[(type === 'ec' ? details?.namedCurve : type) ?? ''];
  assertConfig(alg, 'a signing key must be for P-256, P-384, P-521, Ed25519, ML-DSA or RSA');
  return alg;
}

const RSA: readonly SigningAlgorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

/** The signature algorithms of keys other than RSA, by the OpenSSL name of the curve or by the key type. */
const ALGORITHMS_BY_TYPE: Readonly<Record<string, readonly SigningAlgorithm[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
  ed25519: ['Ed25519', 'EdDSA'],
  'ml-dsa-44': ['ML-DSA-44'],
  'ml-dsa-65': ['ML-DSA-65'],
  'ml-dsa-87': ['ML-DSA-87'],
};
