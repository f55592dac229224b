import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Jwk } from '../jwk.js';
import { thumbprint } from './key-material.js';
import type { KeptKey, KeyAlgorithm } from './schedule.js';

const generate = promisify(generateKeyPair) as (
  type: string,
  options: object,
) => Promise<{ privateKey: { export(as: object): Jwk } }>;

/** Makes a key, away from the thread that answers requests. @param signsFrom milliseconds since the epoch */
export async function newKey(alg: KeyAlgorithm, signsFrom: number): Promise<KeptKey> {
  const [type, options] = KINDS[alg];
  const { privateKey } = await generate(type, options);
  const jwk = privateKey.export({ format: 'jwk' });
  return { kid: thumbprint(jwk), alg, jwk, signsFrom };
}

const P256 = ['ec', { namedCurve: 'P-256' }] as const;
const RSA = ['rsa', { modulusLength: 2048 }] as const;
const KINDS: Readonly<Record<KeyAlgorithm, readonly [string, object]>> = {
  ES256: P256,
  PS256: RSA,
  RS256: RSA,
  Ed25519: ['ed25519', {}],
  EdDSA: ['ed25519', {}],
  'ECDH-ES': P256,
  'ECDH-ES+A128KW': P256,
  'ECDH-ES+A256KW': P256,
  'RSA-OAEP-256': RSA,
};
