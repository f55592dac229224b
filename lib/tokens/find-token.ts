import { ServerError, toOAuthError } from '../errors/index.js';
import type { Falsy, Model, RefreshToken, Token } from '../model/model.js';
import { isOfIssuer } from './issuer.js';
import { FOREVER, isExpired } from './lifetime.js';

/** What a token can be, by the values of `token_type_hint`. RFC 7009 §2.1 */
export type TokenKind = 'access_token' | 'refresh_token';

/** A token as the model found it. */
export type StoredToken = { kind: 'access_token'; token: Token } | { kind: 'refresh_token'; token: RefreshToken };

/** What models and people call them. */
export const TOKEN_NAMES = {
  access_token: { finder: 'getAccessToken', what: 'access token' },
  refresh_token: { finder: 'getRefreshToken', what: 'refresh token' },
} as const;

/** All kinds, first the one that is hinted at: a hint is no more than that, and one that is unknown is none. RFC 7009 §2.1 */
export function tokenKindsByHint(hint: string | undefined): readonly TokenKind[] {
  return hint === 'refresh_token' ? ['refresh_token', 'access_token'] : ['access_token', 'refresh_token'];
}

/**
 * Finds a token that its issuer still knows: none that has expired or is another's. A spent refresh token is found, where
 * the model goes on finding it.
 */
export async function findToken(
  kind: TokenKind,
  value: string,
  { model, issuer }: { model: Model; issuer: string | undefined },
): Promise<StoredToken | undefined> {
  if (kind === 'access_token') {
    const token = await undefinedIfRefused(() => model.getAccessToken?.(value));
    if (!isValid(token, { issuer, expiresAt: token && token.accessTokenExpiresAt })) return undefined;
    return { kind, token };
  }
  const token = await undefinedIfRefused(() => model.getRefreshToken?.(value));
  if (!isValid(token, { issuer, expiresAt: (token && token.refreshTokenExpiresAt) || NEVER })) return undefined;
  return { kind, token };
}

/** Some models say by an OAuth error that there is nothing; a fault is none of these. */
async function undefinedIfRefused<T>(find: () => T): Promise<Awaited<T> | undefined> {
  try {
    return await find();
  } catch (error) {
    if (toOAuthError(error).code >= 500) throw error;
    return undefined;
  }
}

/** Refresh tokens that say nothing else. */
const NEVER = new Date(FOREVER);

function isValid<T extends Token | RefreshToken>(
  token: T | Falsy,
  { issuer, expiresAt }: { issuer: string | undefined; expiresAt: unknown },
): token is T {
  if (!token) return false;
  if (!(expiresAt instanceof Date))
    throw new ServerError('Server error: the expiry of a token must be a Date instance');
  return !isExpired(expiresAt) && isOfIssuer(token, issuer);
}
