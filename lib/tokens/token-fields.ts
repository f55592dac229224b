/**
 * The members of codes and tokens that the library defines. They are sent only under their protocol names, and stores
 * save them in fields of their own.
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
