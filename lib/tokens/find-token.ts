import { ServerError, toOAuthError } from '../errors/index.js';
import type { Falsy, Model, RefreshToken, Token } from '../model/model.js';
import { isOfIssuer } from './issuer.js';
import { FOREVER, isExpired } from './lifetime.js';

/** The kinds of tokens, by the values of `token_type_hint`. RFC 7009 §2.1 */
export type TokenKind = 'access_token' | 'refresh_token';

/** A stored token, as the model returned it. */
export type StoredToken = { kind: 'access_token'; token: Token } | { kind: 'refresh_token'; token: RefreshToken };

/** By kind of token, the model method that finds such a token, and the name of the kind in messages. */
export const TOKEN_NAMES = {
  access_token: { finder: 'getAccessToken', name: 'access token' },
  refresh_token: { finder: 'getRefreshToken', name: 'refresh token' },
} as const;

/**
 * Returns all kinds of tokens in the order in which to look them up: the hinted kind first. An unknown hint is ignored.
 * RFC 7009 §2.1
 */
export function tokenKindsByHint(hint: string | undefined): readonly TokenKind[] {
  return hint === 'refresh_token' ? ['refresh_token', 'access_token'] : ['access_token', 'refresh_token'];
}

/**
 * Finds an unexpired token that was issued by the issuer or without one. A used refresh token is returned if the model
 * still returns it. `undefined` if the token is not found.
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

/** Calls a model method. An `OAuthError` of the model with a status below 500 counts as "not found". */
async function undefinedIfRefused<T>(find: () => T): Promise<Awaited<T> | undefined> {
  try {
    return await find();
  } catch (error) {
    if (toOAuthError(error).code >= 500) throw error;
    return undefined;
  }
}

/** The expiry of refresh tokens that do not expire. */
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
