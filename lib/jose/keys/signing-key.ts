import { createPublicKey, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import { ServerError } from '../../errors.js';
import { fail } from '../../refuse.js';
import { isObject } from '../../options/kinds.js';
import { ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import type { Jwk } from '../jwk.js';
import {
  type KeyMaterial,
  nameOf,
  type PemKey,
  privateKey,
  readKey,
  type Signer,
  verifyLength,
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
  return isSigner(material) ? external(material) : local(material);
}

const isSigner = (material: unknown): material is Signer =>
  isObject(material) && typeof material['sign'] === 'function';

function external(signer: Signer): SigningKey {
  const { alg, kid, publicKey } = signer;
  const key = readKey(
    () => createPublicKey({ key: publicKey, format: 'jwk' }),
    '`publicKey` of a signer is no public JWK',
  );
  const named = publicHalf(key, { alg, kid });
  return {
    ...named,
    async sign(header, payload) {
      const protectedHeader = encoded({ alg, kid: named.kid, ...header });
      const input = `${protectedHeader}.${encoded(payload)}`;
      const signature = Buffer.from(await signer.sign(Buffer.from(input)));
      if (signature.length !== lengthOf(key)) throw notOfJws(named, signature, lengthOf(key));
      return `${input}.${signature.toString('base64url')}`;
    },
  };
}

/** Bytes of a signature. RFC 7518 §3.3, §3.4, RFC 8037 §3.1 */
const lengthOf = ({ asymmetricKeyDetails: details }: KeyObject) => Math.ceil((details?.modulusLength ?? 512) / 8);

/** Most services sign ES256 in DER, which no API would verify, and nobody here would notice. */
const notOfJws = ({ alg, kid }: { alg: string; kid: string }, { length }: Buffer, wanted: number) =>
  new ServerError(
    `Server error: the signer \`${kid}\` gives ${length} bytes: as JWS has it, ${alg} has ${wanted}, and is not in DER`,
  );

function local(material: Jwk | string | PemKey): SigningKey {
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

/** What a key is called, and what may be known of it. */
function publicHalf(key: KeyObject, { alg, kid }: { alg: unknown; kid: unknown }): Omit<SigningKey, 'sign'> {
  const usual = algorithmOf(key);
  const { asymmetricKeyType: type } = key;
  const taken = (alg ?? usual) as SigningAlgorithm;
  if (usual === undefined && alg === undefined) {
    fail(`an RSA key signs by RS256 or PS256: say which by its \`alg\``);
  }
  const isFit = type === 'rsa' ? ['RS256', 'PS256'] : type === 'ed25519' ? ['Ed25519', 'EdDSA'] : [usual];
  if (!ALGORITHMS.includes(taken) || !isFit.includes(taken)) {
    fail(`a key of the type \`${type}\` does not sign by \`${String(alg)}\``);
  }
  const jwk = key.export({ format: 'jwk' }) as Jwk;
  const name = nameOf(jwk, kid);
  return { kid: name, alg: taken, publicJwk: { ...jwk, kid: name, alg: taken, use: 'sig' } };
}

/** How a key signs; undefined: in more than one way. */
function algorithmOf(key: KeyObject): SigningAlgorithm | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ed25519') return 'Ed25519';
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ES256';
  if (type !== 'rsa') fail('a key is for P-256, Ed25519 or RSA');
  verifyLength(key);
  return undefined;
}
