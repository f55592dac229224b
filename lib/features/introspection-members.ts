import { isClientItself } from '../tokens/client-subject.js';
import type { CoreClient, Token } from '../model/model.js';
import { audienceOf } from '../tokens/audience.js';
import type { StoredToken } from '../tokens/find-token.js';
import { FOREVER } from '../tokens/lifetime.js';
import { scopeText } from '../tokens/scope.js';
import { readSignInClaims } from '../tokens/sign-in-claims.js';
import { subjectOf } from '../tokens/subject.js';

/**
 * Returns the members of an introspection response that do not depend on features. Unknown values are `undefined`.
 * RFC 7662 §2.2
 */
export function standardMembers({ kind, token }: StoredToken, issuer: string | undefined) {
  const { client, user, scope } = token;
  const { iat, nbf, cnf, resource, refreshTokenResource } = token as Partial<Token>;
  // The remaining members are the strength and time of the login (`acr`, `auth_time`). RFC 9470 §6.2
  const { sid, amr, ...authentication } = readSignInClaims(token);
  const isAccess = kind === 'access_token';
  const audience = audienceOf(isAccess ? resource : (refreshTokenResource ?? resource));
  return {
    scope: scopeText(scope) || undefined,
    client_id: (client as CoreClient | undefined)?.id,
    sub: subjectOf(user, client),
    username: usernameOf(user),
    exp: expiryOf(isAccess ? token.accessTokenExpiresAt : token.refreshTokenExpiresAt),
    iat: Number.isFinite(iat) ? (iat as unknown) : undefined,
    nbf: Number.isFinite(nbf) ? (nbf as unknown) : undefined,
    aud: audience.length > 1 ? audience : audience[0],
    ...authentication,
    iss: typeof token.issuer === 'string' ? token.issuer : issuer,
    cnf: typeof cnf === 'object' && cnf !== null ? (cnf as unknown) : undefined,
  };
}

/** Returns the `username` of a user. `undefined` for a client credentials token, and for a user without `username`. */
function usernameOf(user: Token['user']) {
  const { username } = user as { username?: unknown };
  return typeof username === 'string' && !isClientItself(user) ? username : undefined;
}

/** Returns the expiry in seconds since the epoch. `undefined` for a token that never expires. */
function expiryOf(moment: Date | undefined): number | undefined {
  return moment && moment.getTime() < FOREVER ? seconds(moment.getTime()) : undefined;
}

export const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);
