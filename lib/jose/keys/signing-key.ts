import { createPublicKey, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import { ServerError } from '../../errors/index.js';
import { assertConfig, configurationError } from '../../errors/configuration-error.js';
import { isObject } from '../../http/is-object.js';
import { ALGORITHM_NAMES, ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import type { Jwk } from '../jwk.js';
import {
  type KeyMaterial,
  keyIdOf,
  type PemKey,
  privateKey,
  readKey,
  type Signer,
  verifyRsaLength,
} from './key-material.js';

/** A key that tokens are signed with. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  /** What everybody may know of it. RFC 7517 §4 */
  readonly publicJwk: Jwk;
  /** Signs a payload. RFC 7515 §7.1 */
  sign(header: { typ: string }, payload: object): Promise<string>;
}

/** @throws InvalidArgumentError with a sentence for what is no private key, or a weak one */
export function signingKey(material: KeyMaterial): SigningKey {
  const { alg } = (isObject(material) ? material : {}) as { alg?: unknown };
  // Before the key is parsed: OpenSSL would only say that it is unknown.
  if (String(alg).startsWith('ML-DSA') && !ALGORITHMS.some((one) => one === alg)) {
    throw configurationError(`\`${String(alg)}\` is not supported: a key signs by one of ${ALGORITHM_NAMES}`);
  }
  return isSigner(material) ? externalSigningKey(material) : localSigningKey(material);
}

const isSigner = (material: unknown): material is Signer =>
  isObject(material) && typeof material['sign'] === 'function';

function externalSigningKey(signer: Signer): SigningKey {
  const { alg, kid, publicKey } = signer;
  const key = readKey(
    () => createPublicKey({ key: publicKey, format: 'jwk' }),
    '`publicKey` of a signer is no public JWK',
  );
  const named = publicHalf(key, { alg, kid });
  const length = lengthOf(named.alg, key);
  return {
    ...named,
    async sign(header, payload) {
      const protectedHeader = encoded({ alg, kid: named.kid, ...header });
      const input = `${protectedHeader}.${encoded(payload)}`;
      const signature = Buffer.from(await signer.sign(Buffer.from(input)));
      if (signature.length !== length) throw wrongSignatureLength(named, signature, length);
      return `${input}.${signature.toString('base64url')}`;
    },
  };
}

/** Bytes of an elliptic curve or ML-DSA signature; of Ed25519 there are 64. RFC 7518 §3.4, RFC 8037 §3.1, RFC 9964 §4 */
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

/** Most services sign ES256 in DER, which no API would verify, and nobody here would notice. */
const wrongSignatureLength = ({ alg, kid }: { alg: string; kid: string }, { length }: Buffer, wanted: number) =>
  new ServerError(
    `Server error: the signer \`${kid}\` gives ${length} bytes: as JWS has it, ${alg} has ${wanted}, and is not in DER`,
  );

function localSigningKey(material: Jwk | string | PemKey): SigningKey {
  const { key, alg, kid } = privateKey(material);
  const named = publicHalf(createPublicKey(key), { alg, kid });
  return {
    ...named,
    sign: (header, payload) =>
      new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: named.alg, kid: named.kid, ...header })
        .sign(key),
  };
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns the name, the algorithm and the public JWK of a key. @throws InvalidArgumentError for an unfit or unsupported algorithm */
function publicHalf(key: KeyObject, { alg, kid }: { alg: unknown; kid: unknown }): Omit<SigningKey, 'sign'> {
  const fit = algorithmsOf(key);
  const taken = (alg ?? fit[0]) as SigningAlgorithm;
  if (key.asymmetricKeyType === 'rsa' && alg === undefined) {
    throw configurationError(`an RSA key signs by one of ${fit.join(', ')}: set its \`alg\``);
  }
  assertConfig(
    fit.includes(taken),
    `a key of the type \`${key.asymmetricKeyType}\` does not sign by \`${String(alg)}\``,
  );
  const jwk = key.export({ format: 'jwk' }) as Jwk;
  const name = keyIdOf(jwk, kid);
  return { kid: name, alg: taken, publicJwk: { ...jwk, kid: name, alg: taken, use: 'sig' } };
}

/** Returns the algorithms that a key can sign by, the default first. */
function algorithmsOf(key: KeyObject): readonly SigningAlgorithm[] {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') {
    verifyRsaLength(key);
    return RSA;
  }
  const alg = ALGORITHMS_BY_TYPE[(type === 'ec' ? details?.namedCurve : type) ?? ''];
  assertConfig(alg, 'a key that signs must be for P-256, P-384, P-521, Ed25519, ML-DSA or RSA');
  return alg;
}

const RSA: readonly SigningAlgorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

/** The algorithms of other keys, by the curve as OpenSSL calls it, or by the type. */
const ALGORITHMS_BY_TYPE: Readonly<Record<string, readonly SigningAlgorithm[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
  ed25519: ['Ed25519', 'EdDSA'],
  'ml-dsa-44': ['ML-DSA-44'],
  'ml-dsa-65': ['ML-DSA-65'],
  'ml-dsa-87': ['ML-DSA-87'],
};
