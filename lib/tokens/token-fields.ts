/**
 * The members of codes and tokens that the library itself defines. They are not copied into token responses as
 * additional properties, and stores save them in fields of their own.
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
  'rotatedToken',
  'user',
]);
