import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

import { compactDecrypt } from 'jose';
import type { Jwk } from 'nest-oauth2/jose';

/** A client's key pair for encrypted responses. `jwk` is the public key, `key` the private key. */
export interface Recipient {
  readonly jwk: Jwk;
  readonly key: KeyObject;
}

/**
 * Generates a key pair for encryption.
 *
 * @param type The modulus length of an RSA key in bits, a NIST curve, or X25519.
 */
export function recipient(
  type: number | 'P-256' | 'P-384' | 'P-521' | 'X25519',
  more: object = { use: 'enc' },
): Recipient {
  const pair =
    typeof type === 'number'
      ? generateKeyPairSync('rsa', { modulusLength: type })
      : type === 'X25519'
        ? generateKeyPairSync('x25519')
        : generateKeyPairSync('ec', { namedCurve: type });
  return { jwk: { ...pair.publicKey.export({ format: 'jwk' }), ...more }, key: pair.privateKey };
}

/** Decrypts a JWE with `jose`, as a client does. Returns the plaintext and the protected header. */
export async function decrypted(jwe: unknown, key: KeyObject | Jwk) {
  const privateKey = 'kty' in key ? createPrivateKey({ key, format: 'jwk' }) : key;
  const { plaintext, protectedHeader } = await compactDecrypt(String(jwe), privateKey);
  return { text: new TextDecoder().decode(plaintext), header: protectedHeader };
}
