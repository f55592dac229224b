import { isPublicClient } from '../clients/none.js';
import type { Authorization } from '../contracts/authorization.js';
import { InvalidGrantError, InvalidScopeError, ServerError } from '../errors/index.js';
import { required } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isVSCHAR } from '../http/syntax.js';
import type { CoreClient, RefreshToken, RefreshTokenModel, Scope, Token } from '../model/model.js';
import { grantSpan } from '../tokens/grant-lifetime.js';
import { redeem } from '../tokens/issue-token.js';
import { isUntilUsed, reuseSeconds } from '../options/reuse-interval.js';
import { isExpired } from '../tokens/lifetime.js';
import { coversScope, requestedScope, scopeText, scopeValues, withoutIgnorableScopes } from '../tokens/scope.js';
import { copySignInClaims } from '../tokens/sign-in-claims.js';
import { decryptRotatedToken } from '../tokens/rotated-token.js';
import { GrantType } from '../endpoints/token/grant-type.js';
import { expiredError, rejectReplay, unknownDetail, verifyOwner } from '../endpoints/token/replay.js';

const TOKEN_NAME = 'refresh token';

/**
 * Tolerance in seconds for a slightly negative `revokedAgo`: a token may be consumed after the query that finds it has
 * begun.
 */
const CLOCK_TOLERANCE = 1;

/**
 * The refresh token grant: the client gets new tokens without interaction of the user. This class implements
 * refresh token rotation and replay detection. RFC 6749 §6, RFC 9700 §4.14.2
 */
export class RefreshTokenGrantType extends GrantType<RefreshTokenModel> {
  static readonly requires: readonly (keyof RefreshTokenModel)[] = ['getRefreshToken', 'revokeToken'];

  async handle(request: Request, client: CoreClient): Promise<Token> {
    const value = required(request, 'refresh_token', isVSCHAR);
    const token = await this.findToken(value, client);
    if (this.options.clientRequest) this.options.clientRequest.refreshToken = token;
    const requested = withoutIgnorableScopes(requestedScope(request), token.scope, this.options.ignorableScopes);
    if (token.revokedAt) return await this.retry(token, client, value, requested);
    const scope = narrowScope(token.scope, requested);
    // Refresh tokens of public clients are always rotated, since these clients cannot authenticate. RFC 9700 §2.2.2
    const refreshable = this.alwaysIssueNewRefreshToken !== false || isPublicClient(client);

    const authorization = authorizationOf(token, client, scope, refreshable);
    if (refreshable && this.model.revokeGrant) authorization.extra!['refreshTokenScope'] = token.scope;
    if (!refreshable) return await this.issueToken(authorization);
    return await redeem(this.options, authorization, {
      stored: token,
      encryptResponseWith: this.reuseInterval > 0 ? value : undefined,
      consume: () => this.model.revokeToken(token),
      handleReplay: async () => this.retry(await this.findToken(value, client), client, value, requested),
    });
  }

  private async findToken(value: string, client: CoreClient): Promise<RefreshToken> {
    const token = await this.model.getRefreshToken(value);
    if (!token)
      throw new InvalidGrantError(`Invalid grant: ${TOKEN_NAME} is invalid`).because(unknownDetail(TOKEN_NAME));
    verifyOwner(token, client, { finder: 'getRefreshToken', name: TOKEN_NAME, issuer: this.options.issuer });
    const { refreshTokenExpiresAt: expiresAt } = token;
    if (expiresAt && !((expiresAt as unknown) instanceof Date)) {
      throw new ServerError('Server error: `refreshTokenExpiresAt` must be a Date instance');
    }
    if (expiresAt && isExpired(expiresAt)) throw expiredError(TOKEN_NAME, expiresAt);
    const span = token.grantedAt ? grantSpan(this.options, token.grantedAt) : undefined;
    if (span && isExpired(span.end)) throw expiredError(TOKEN_NAME, span.end);
    return token;
  }

  /**
   * Returns the first response again, if a client repeats a refresh request within the rotation grace period
   * (`refreshTokenReuseInterval`), for example after a lost response. If the period lasts until the rotated refresh
   * token is used, an expired access token is replaced. Later, or once the rotated refresh token was used, the request
   * is rejected as a replay. RFC 9700 §4.14.2
   */
  private async retry(
    token: RefreshToken,
    client: CoreClient,
    value: string,
    requested: string | undefined,
  ): Promise<Token> {
    const previous = this.isRetry(token) ? decryptRotatedToken(token.successor, value) : undefined;
    const rotated = previous?.refreshToken && (await this.model.getRefreshToken(previous.refreshToken));
    if (!previous || !rotated || rotated.revokedAt) return await rejectReplay(token, TOKEN_NAME, this.options);
    if (requested && !(coversScope(previous.scope, requested) && coversScope(requested, previous.scope ?? ''))) {
      throw new InvalidScopeError('Invalid scope: the refresh token was already used with another scope');
    }
    const { refreshToken, refreshTokenExpiresAt, accessTokenExpiresAt } = previous;
    const { refreshTokenReuseInterval } = this.options;
    if (!isUntilUsed(refreshTokenReuseInterval) || !isExpired(accessTokenExpiresAt)) {
      const stored = await this.model.getAccessToken?.(previous.accessToken);
      const { user, grantId } = token;
      return { ...(stored || undefined), ...previous, client: token.client, user, grantId };
    }
    // Rights that were withdrawn since the first request are left out.
    const scope = scopeText(scopeValues(previous.scope).filter((one) => coversScope(token.scope, one)));
    const fresh = await this.issueToken(authorizationOf(token, client, scope, false));
    return { ...fresh, refreshToken, refreshTokenExpiresAt };
  }

  /**
   * Whether a used refresh token is still within the rotation grace period. If the time of use is in the future, it is
   * not, because clocks may differ.
   */
  private isRetry({ revokedAt, revokedAgo }: RefreshToken): boolean {
    if (!revokedAt || !(this.reuseInterval > 0)) return false;
    const ago = revokedAgo ?? (Date.now() - revokedAt.getTime()) / 1000;
    const least = revokedAgo === undefined ? 0 : -CLOCK_TOLERANCE;
    return ago >= least && ago < this.reuseInterval;
  }

  private get reuseInterval(): number {
    return reuseSeconds(this.options.refreshTokenReuseInterval);
  }
}

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
