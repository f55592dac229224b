import { type JsonWebKey, generateKeyPair, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

import { selfSigned } from '../host/certificate.js';

/** A key of a client as a JWK. RFC 7517 */
export type ClientKey = JsonWebKey & { kid: string; alg: string; use: string; x5c?: string[] };

/** The private and the public keys of a client. */
export interface ClientKeys {
  private: { keys: ClientKey[] };
  public: { keys: ClientKey[] };
}

/** Generates a new key. */
export async function newKeys(alg: 'ES256' | 'PS256' | 'RS256'): Promise<ClientKeys> {
  const pair =
    alg === 'ES256'
      ? await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
      : await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const named = { kid: randomUUID(), alg, use: 'sig' };
  return {
    private: { keys: [{ ...pair.privateKey.export({ format: 'jwk' }), ...named }] },
    public: { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), ...named }] },
  };
}

/** The functions that generate the keys and the certificates of a run. */
export interface KeyGenerators {
  newKeys: typeof newKeys;
  selfSigned: typeof selfSigned;
}

export const GENERATORS: KeyGenerators = { newKeys, selfSigned };
