import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

import type { Scope, Token, Unsaved } from '../model/model.js';

/** The part of a refresh response that is stored for a retry. See refresh token rotation in RFC 9700 §4.14.2. */
export type RotatedToken = Pick<
  Token,
  'accessToken' | 'accessTokenExpiresAt' | 'refreshToken' | 'refreshTokenExpiresAt' | 'scope'
>;

const CIPHER = 'aes-256-gcm';
const [SALT, KEY, IV, TAG] = [16, 32, 12, 16];

/**
 * Encrypts the new tokens with a key derived from the refresh token that they replace, for the rotation grace period.
 * They are stored with the used refresh token, and readable only to a client that still has it. RFC 5116, RFC 5869
 * @param secret The refresh token that was used.
 */
export function encryptRotatedToken(token: Unsaved<Token>, secret: string): string {
  const { accessToken, accessTokenExpiresAt, refreshToken, refreshTokenExpiresAt, scope } = token;
  const salt = randomBytes(SALT);
  const cipher = createCipheriv(CIPHER, ...keyOf(secret, salt));
  const text = JSON.stringify([
    accessToken,
    accessTokenExpiresAt.getTime(),
    refreshToken,
    refreshTokenExpiresAt?.getTime(),
    scope,
  ]);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([salt, cipher.getAuthTag(), encrypted]).toString('base64url');
}

/**
 * Decrypts a value that `encryptRotatedToken()` encrypted with this refresh token as `secret`. Returns `undefined` for
 * any other value.
 */
export function decryptRotatedToken(encrypted: unknown, secret: string): RotatedToken | undefined {
  if (typeof encrypted !== 'string') return undefined;
  const bytes = Buffer.from(encrypted, 'base64url');
  if (bytes.length <= SALT + TAG) return undefined;
  const decipher = createDecipheriv(CIPHER, ...keyOf(secret, bytes.subarray(0, SALT)), { authTagLength: TAG });
  decipher.setAuthTag(bytes.subarray(SALT, SALT + TAG));
  try {
    return read(Buffer.concat([decipher.update(bytes.subarray(SALT + TAG)), decipher.final()]).toString());
  } catch {
    return undefined;
  }
}

function read(text: string): RotatedToken {
  const [accessToken, accessUntil, refreshToken, refreshUntil, scope] = JSON.parse(text) as [
    string,
    number,
    string | null,
    number | null,
    Scope | null,
  ];
  return {
    accessToken,
    accessTokenExpiresAt: new Date(accessUntil),
    refreshToken: refreshToken ?? undefined,
    refreshTokenExpiresAt: refreshUntil === null ? undefined : new Date(refreshUntil),
    scope: scope ?? undefined,
  };
}

/**
 * Derives key and nonce from a refresh token. The random salt makes them unique for each message, so the nonce need not
 * be stored.
 */
function keyOf(secret: string, salt: Buffer): [key: Buffer, iv: Buffer] {
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, 'nest-oauth2 rotated token', KEY + IV));
  return [bytes.subarray(0, KEY), bytes.subarray(KEY)];
}
