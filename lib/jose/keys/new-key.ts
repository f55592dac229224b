import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningAlgorithm } from '../algorithms.js';
import type { Jwk } from '../jwk.js';
import type { KeptKey } from './schedule.js';
import { signingKey } from './signing-key.js';

const generate = promisify(generateKeyPair) as (
  type: string,
  options: object,
) => Promise<{ privateKey: { export(as: object): Jwk } }>;

/** Makes a key, away from the thread that answers requests. @param signsFrom milliseconds since the epoch */
export async function newKey(alg: SigningAlgorithm, signsFrom: number): Promise<KeptKey> {
  const [type, options] = KINDS[alg];
  const { privateKey } = await generate(type, options);
  const jwk = privateKey.export({ format: 'jwk' });
  return { kid: signingKey({ ...jwk, alg }).kid, alg, jwk, signsFrom };
}

const KINDS: Readonly<Record<SigningAlgorithm, readonly [string, object]>> = {
  ES256: ['ec', { namedCurve: 'P-256' }],
  PS256: ['rsa', { modulusLength: 2048 }],
  RS256: ['rsa', { modulusLength: 2048 }],
  Ed25519: ['ed25519', {}],
  EdDSA: ['ed25519', {}],
};
