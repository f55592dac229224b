import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

import type { Scope, Token, Unsaved } from '../model/model.js';

/** What a client whose answer was lost is told again. */
export type RotatedToken = Pick<
  Token,
  'accessToken' | 'accessTokenExpiresAt' | 'refreshToken' | 'refreshTokenExpiresAt' | 'scope'
>;

const CIPHER = 'aes-256-gcm';
const [SALT, KEY, IV, TAG] = [16, 32, 12, 16];

/**
 * What came of a refresh token, sealed under that token: kept beside the spent one, it tells whoever reads the database
 * nothing, and whoever brings the token again what it was answered. RFC 5116, RFC 5869
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
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([salt, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** What `encryptRotatedToken` sealed under this token; undefined for anything else. */
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

/** A salt makes each key good for one message, so its nonce need not be kept. */
function keyOf(secret: string, salt: Buffer): [key: Buffer, iv: Buffer] {
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, 'nest-oauth2 successor', KEY + IV));
  return [bytes.subarray(0, KEY), bytes.subarray(KEY)];
}
