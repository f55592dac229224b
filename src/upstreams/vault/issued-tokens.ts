import type { IssuedTokens } from '../providers/token-response.js';
import { ENTRY_LIFETIME, unionOf, type VaultTokens } from './vault-entry.js';

/**
 * Returns the tokens to store for a token response.
 * @param requested The scope if the response has none. RFC 6749 §5.1
 * @param previous The tokens that were used for a refresh. Members that the response omits stay. RFC 6749 §6
 */
export const tokensOf = (
  { accessToken, refreshToken, idToken, scope, expiresIn }: IssuedTokens,
  requested: string,
  previous?: VaultTokens,
): VaultTokens => ({
  accessToken,
  refreshToken: refreshToken ?? previous?.refreshToken,
  idToken: idToken ?? previous?.idToken,
  scope: unionOf(scope ?? requested),
  expiresWith: expiresIn === undefined ? undefined : ENTRY_LIFETIME - expiresIn * 1000,
});
