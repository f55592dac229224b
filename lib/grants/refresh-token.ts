import { InvalidGrantError, InvalidScopeError, ServerError } from '../errors.js';
import { required } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isVSCHAR } from '../http/syntax.js';
import type { Client, RefreshToken, RefreshTokenModel, Scope, Token } from '../model/model.js';
import { isOver } from '../tokens/issue-token.js';
import { coversScope, requestedScope, scopeText } from '../tokens/scope.js';
import { GrantType } from './grant-type.js';
import { expired, refuseReplay, unknown, verifyOwner } from './replay.js';

const WHAT = 'refresh token';

/** The client comes back without the user. RFC 6749 §6 */
export class RefreshTokenGrantType extends GrantType<RefreshTokenModel> {
  static readonly requires: readonly (keyof RefreshTokenModel)[] = ['getRefreshToken', 'revokeToken'];

  async handle(request: Request, client: Client): Promise<Token> {
    const value = required(request, 'refresh_token', isVSCHAR);
    const token = await this.findToken(value, client);
    const scope = narrowed(token.scope, requestedScope(request));
    const refreshable = this.alwaysIssueNewRefreshToken !== false;

    // Spent before its successor is minted, so that of two who bring it at once one goes away empty-handed.
    if (refreshable && !token.revokedAt && !(await this.model.revokeToken(token))) await this.retry(value, client);

    const { user, grantId, scope: refreshTokenScope } = token;
    const extra = refreshable && this.model.revokeGrant ? { refreshTokenScope } : undefined;
    return await this.issueToken({ client, user, scope, scopeApproved: true, refreshable, grantId, extra });
  }

  private async findToken(value: string, client: Client): Promise<RefreshToken> {
    const token = await this.model.getRefreshToken(value);
    if (!token) throw new InvalidGrantError(`Invalid grant: ${WHAT} is invalid`).because(unknown(WHAT));
    verifyOwner(token, client, { finder: 'getRefreshToken', what: WHAT });
    if (token.revokedAt && !this.isRetry(token.revokedAt)) await refuseReplay(token, WHAT, this.options);
    const { refreshTokenExpiresAt: expiresAt } = token;
    if (expiresAt && !((expiresAt as unknown) instanceof Date)) {
      throw new ServerError('Server error: `refreshTokenExpiresAt` must be a Date instance');
    }
    if (expiresAt && isOver(expiresAt)) throw expired(WHAT, expiresAt);
    return token;
  }

  /** A client that lost the race against itself may have what it asked for, if the host allows retries. */
  private async retry(value: string, client: Client): Promise<void> {
    const token = await this.findToken(value, client);
    if (!token.revokedAt || !this.isRetry(token.revokedAt)) await refuseReplay(token, WHAT, this.options);
  }

  /** A client whose answer was lost on the way may ask again, for as long as the host allows. */
  private isRetry(revokedAt: Date): boolean {
    const { refreshTokenReuseInterval = 0 } = this.options;
    return Date.now() - revokedAt.getTime() < refreshTokenReuseInterval * 1000;
  }
}

/** A refreshed token may reach less than the first one did, never more. */
function narrowed(granted: Scope | undefined, requested: string | undefined): Scope | undefined {
  if (!requested) return granted;
  if (coversScope(granted, requested)) return requested;
  const detail = {
    rule: 'a refreshed token has no more scope than the first',
    wanted: scopeText(granted),
    given: requested,
  };
  throw new InvalidScopeError('Invalid scope: Unable to add extra scopes').because(detail);
}
