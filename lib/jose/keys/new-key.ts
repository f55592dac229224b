import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Jwk } from '../jwk.js';
import { thumbprint } from './key-material.js';
import type { StoredKey, KeyAlgorithm } from './schedule.js';

const generate = promisify(generateKeyPair) as (
  type: string,
  options: object,
) => Promise<{ privateKey: { export(as: object): Jwk } }>;

/**
 * Generates a private key without blocking the event loop.
 * @param signsFrom The time from which the key is used, in milliseconds since the epoch.
 */
export async function newKey(alg: KeyAlgorithm, signsFrom: number): Promise<StoredKey> {
  const [type, options] = KINDS[alg];
  const { privateKey } = await generate(type, options);
  const jwk = privateKey.export({ format: 'jwk' });
  return { kid: thumbprint(jwk), alg, jwk, signsFrom };
}

/** The type of a key pair, and the options that generate it. */
type Kind = readonly [type: string, options: object];

const [P256, P384, P521] = ['P-256', 'P-384', 'P-521'].map((namedCurve) => ['ec', { namedCurve }] as const) as [
  Kind,
  Kind,
  Kind,
];
const RSA = ['rsa', { modulusLength: 2048 }] as const;
const KINDS: Readonly<Record<KeyAlgorithm, Kind>> = {
  ES256: P256,
  ES384: P384,
  ES512: P521,
  PS256: RSA,
  PS384: RSA,
  PS512: RSA,
  RS256: RSA,
  RS384: RSA,
  RS512: RSA,
  Ed25519: ['ed25519', {}],
  EdDSA: ['ed25519', {}],
  'ML-DSA-44': ['ml-dsa-44', {}],
  'ML-DSA-65': ['ml-dsa-65', {}],
  'ML-DSA-87': ['ml-dsa-87', {}],
  'ECDH-ES': P256,
  'ECDH-ES+A128KW': P256,
  'ECDH-ES+A256KW': P256,
  'RSA-OAEP-256': RSA,
};
