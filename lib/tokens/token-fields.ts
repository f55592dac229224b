/**
 * What the library itself says of codes and tokens, by the names that models know: it is sent under the names of the
 * protocol or not at all, and has a place of its own in a store.
 */
export const TOKEN_FIELDS: ReadonlySet<string> = new Set([
  'accessToken',
  'accessTokenExpiresAt',
  'authorizationCode',
  'client',
  'expiresAt',
  'grantId',
  'grantedAt',
  'issuer',
  'refreshToken',
  'refreshTokenExpiresAt',
  'refreshTokenScope',
  'revokedAgo',
  'revokedAt',
  'scope',
  'successor',
  'user',
]);
