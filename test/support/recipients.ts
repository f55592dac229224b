import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

import { compactDecrypt } from 'jose';
import type { Jwk } from 'nest-oauth2/jose';

/** A key pair of a client, to which answers are encrypted. */
export interface Recipient {
  readonly jwk: Jwk;
  readonly key: KeyObject;
}

/** @param type RSA with so many bits, a curve of NIST, or X25519 */
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

/** As an independent client reads what is encrypted to it: the header, and what is inside. */
export async function decrypted(jwe: unknown, key: KeyObject | Jwk) {
  const privateKey = 'kty' in key ? createPrivateKey({ key, format: 'jwk' }) : key;
  const { plaintext, protectedHeader } = await compactDecrypt(String(jwe), privateKey);
  return { text: new TextDecoder().decode(plaintext), header: protectedHeader };
}
