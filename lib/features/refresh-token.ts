import { isPublicClient } from '../clients/none.js';
import type { Authorization } from '../contracts/authorization.js';
import type { ServerContext } from '../contracts/feature.js';
import type { GrantHandler, TokenRequest } from '../contracts/token-request.js';
import { InvalidGrantError, InvalidScopeError, ServerError } from '../errors/index.js';
import { required } from '../http/parameters.js';
import { isVSCHAR } from '../http/syntax.js';
import type { CoreClient, Falsy, RefreshToken, Scope, Token } from '../model/model.js';
import type { Options } from '../options/resolve-options.js';
import { isUntilUsed, reuseSeconds } from '../options/reuse-interval.js';
import { grantSpan } from '../tokens/grant-lifetime.js';
import { isExpired } from '../tokens/lifetime.js';
import { coversScope, requestedScope, scopeText, scopeValues, withoutIgnorableScopes } from '../tokens/scope.js';
import { copySignInClaims } from '../tokens/sign-in-claims.js';
import { decryptRotatedToken } from '../tokens/rotated-token.js';
import { expiredError, rejectReplay, unknownDetail, verifyOwner } from '../endpoints/token/replay.js';

const TOKEN_NAME = 'refresh token';

/**
 * Tolerance in seconds for a slightly negative `revokedAgo`: a token may be consumed after the query that finds it has
 * begun.
 */
const CLOCK_TOLERANCE = 1;

/**
 * Returns the refresh token grant: the client gets new tokens without interaction of the user. It implements refresh
 * token rotation and replay detection. RFC 6749 §6, RFC 9700 §4.14.2
 */
export const refreshTokenGrant = (serverOf: () => ServerContext): GrantHandler =>
  Object.assign((request: TokenRequest) => refresh(request, serverOf().ignorableScopes), {
    requires: ['getRefreshToken', 'revokeToken', 'saveToken'],
  });

async function refresh(request: TokenRequest, ignorableScopes: readonly string[]): Promise<Token> {
  const { client, options } = request;
  const value = required(request.request, 'refresh_token', isVSCHAR);
  const token = (request.refreshToken = verifyToken(request, await options.model.getRefreshToken!(value)));
  const requested = withoutIgnorableScopes(requestedScope(request.request), token.scope, ignorableScopes);
  if (token.revokedAt) return await retry(request, token, value, requested);
  const scope = narrowScope(token.scope, requested);
  // Refresh tokens of public clients are always rotated, since these clients cannot authenticate. RFC 9700 §2.2.2
  const refreshable = (options.alwaysIssueNewRefreshToken as unknown) !== false || isPublicClient(client);

  const authorization = authorizationOf(token, client, scope, refreshable);
  if (refreshable && options.model.revokeGrant) authorization.extra!['refreshTokenScope'] = token.scope;
  if (!refreshable) return await request.issue(authorization);
  return await request.redeem(authorization, {
    stored: token,
    encryptResponseWith: reuseInterval(options) > 0 ? value : undefined,
    consume: () => options.model.revokeToken!(token),
    handleReplay: async () => {
      const used = verifyToken(request, await options.model.getRefreshToken!(value));
      return await retry(request, used, value, requested);
    },
  });
}

/**
 * Verifies the refresh token that the model returned.
 * @throws {InvalidGrantError} If it is unknown, expired, or was issued to another client or by another issuer.
 */
function verifyToken({ client, issuer, options }: TokenRequest, token: RefreshToken | Falsy): RefreshToken {
  if (!token) throw new InvalidGrantError(`Invalid grant: ${TOKEN_NAME} is invalid`).because(unknownDetail(TOKEN_NAME));
  verifyOwner(token, client, { finder: 'getRefreshToken', name: TOKEN_NAME, issuer });
  const { refreshTokenExpiresAt: expiresAt } = token;
  if (expiresAt && !((expiresAt as unknown) instanceof Date)) {
    throw new ServerError('Server error: `refreshTokenExpiresAt` must be a Date instance');
  }
  if (expiresAt && isExpired(expiresAt)) throw expiredError(TOKEN_NAME, expiresAt);
  const span = token.grantedAt ? grantSpan(options, token.grantedAt) : undefined;
  if (span && isExpired(span.end)) throw expiredError(TOKEN_NAME, span.end);
  return token;
}

/**
 * Returns the first response again, if a client repeats a refresh request within the rotation grace period
 * (`refreshTokenReuseInterval`), for example after a lost response. If the period lasts until the rotated refresh token
 * is used, an expired access token is replaced. Later, or once the rotated refresh token was used, the request is
 * rejected as a replay. RFC 9700 §4.14.2
 */
async function retry(
  request: TokenRequest,
  token: RefreshToken,
  value: string,
  requested: string | undefined,
): Promise<Token> {
  const { client, options } = request;
  const { model, refreshTokenReuseInterval } = options;
  const previous = isRetry(token, options) ? decryptRotatedToken(token.rotatedToken, value) : undefined;
  const rotated = previous?.refreshToken && (await model.getRefreshToken!(previous.refreshToken));
  if (!previous || !rotated || rotated.revokedAt) return await rejectReplay(token, TOKEN_NAME, request);
  if (requested && !(coversScope(previous.scope, requested) && coversScope(requested, previous.scope ?? ''))) {
    throw new InvalidScopeError('Invalid scope: the refresh token was already used with another scope');
  }
  const { refreshToken, refreshTokenExpiresAt, accessTokenExpiresAt } = previous;
  if (!isUntilUsed(refreshTokenReuseInterval) || !isExpired(accessTokenExpiresAt)) {
    const stored = await model.getAccessToken?.(previous.accessToken);
    const { user, grantId } = token;
    return { ...(stored || undefined), ...previous, client: token.client, user, grantId };
  }
  // Rights that were withdrawn since the first request are left out.
  const scope = scopeText(scopeValues(previous.scope).filter((one) => coversScope(token.scope, one)));
  const fresh = await request.issue(authorizationOf(token, client, scope, false));
  return { ...fresh, refreshToken, refreshTokenExpiresAt };
}

/**
 * Whether a used refresh token is still within the rotation grace period. If the time of use is in the future, it is
 * not, because clocks may differ.
 */
function isRetry({ revokedAt, revokedAgo }: RefreshToken, options: Options): boolean {
  const interval = reuseInterval(options);
  if (!revokedAt || !(interval > 0)) return false;
  const ago = revokedAgo ?? (Date.now() - revokedAt.getTime()) / 1000;
  const least = revokedAgo === undefined ? 0 : -CLOCK_TOLERANCE;
  return ago >= least && ago < interval;
}

const reuseInterval = ({ refreshTokenReuseInterval }: Options): number => reuseSeconds(refreshTokenReuseInterval);

/** Returns the authorization to issue tokens for, from a stored refresh token. */
function authorizationOf(
  token: RefreshToken,
  client: CoreClient,
  scope: Scope | undefined,
  refreshable: boolean,
): Authorization {
  const { user, grantId, grantedAt } = token;
  const extra: Record<string, unknown> = {};
  copySignInClaims(extra, token);
  return { client, user, scope, scopeStatus: 'approved', refreshable, grantId, grantedAt, extra };
}

/**
 * Returns the requested scope, or the granted scope if none is requested.
 * @throws {InvalidScopeError} If the requested scope exceeds the granted scope.
 */
function narrowScope(granted: Scope | undefined, requested: string | undefined): Scope | undefined {
  if (!requested) return granted;
  if (coversScope(granted, requested)) return requested;
  const detail = {
    reason: 'requested scope exceeds the scope of the refresh token',
    expected: scopeText(granted),
    given: requested,
  };
  throw new InvalidScopeError('Invalid scope: Unable to add extra scopes').because(detail);
}
