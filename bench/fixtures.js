import { createHash, randomBytes } from 'node:crypto';

/** The one host of all runs: a confidential client, its user, and a resource guarded by one scope. */
export const user = { id: 'alice', name: 'Alice' };
export const redirectUri = 'https://client.example.com/callback';
export const requiredScope = 'notes:read';
export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const challenge = createHash('sha256').update(verifier).digest('base64url');

export function clientNamed(id) {
  return {
    id,
    name: id,
    secret: `secret-of-${id}`,
    grants: ['authorization_code', 'client_credentials', 'refresh_token'],
    redirectUris: [redirectUri, 'https://client.example.com/other'],
    scopes: new Set(['profile', 'notes:read', 'notes:write']),
    user,
  };
}

export const client = clientNamed('demo-web');

export function newToken(properties) {
  return {
    accessToken: randomBytes(32).toString('hex'),
    accessTokenExpiresAt: new Date(Date.now() + 3_600_000),
    refreshToken: randomBytes(32).toString('hex'),
    refreshTokenExpiresAt: new Date(Date.now() + 86_400_000),
    scope: requiredScope,
    client,
    user,
    ...properties,
  };
}

export function newCode(properties) {
  return {
    authorizationCode: randomBytes(32).toString('hex'),
    expiresAt: new Date(Date.now() + 300_000),
    redirectUri,
    scope: requiredScope,
    codeChallenge: challenge,
    codeChallengeMethod: 'S256',
    client,
    user,
    ...properties,
  };
}
