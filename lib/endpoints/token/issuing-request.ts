import { DETAILS } from '../../contracts/authorization-details.js';
import type { Authorization } from '../../contracts/authorization.js';
import { ClientRequest } from '../../contracts/client-request.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Redemption, SaveToken } from '../../contracts/redemption.js';
import type { TokenFormat } from '../../contracts/token-format.js';
import type { TokenRequest } from '../../contracts/token-request.js';
import type { Token } from '../../model/model.js';
import { issueToken, redeem } from '../../tokens/issue-token.js';
import type { GrantTypeOptions } from './grant-type.js';

/** The values that all token requests with the same options share. */
export interface IssuingContext {
  readonly server: ServerContext;
  readonly format: TokenFormat | undefined;
  readonly report: GrantTypeOptions['report'];
  /** Whether the server supports `authorization_details`, which a client may request without a scope. RFC 9396 §2 */
  readonly supportsDetails: boolean;
}

/** A client request to the token endpoint, with the settings for issuing tokens. RFC 6749 §3.2 */
export class IssuingRequest extends ClientRequest implements TokenRequest {
  private cachedSettings: GrantTypeOptions | undefined;
  /** The values shared with other token requests. The token endpoint sets them. */
  context!: IssuingContext;

  /** The settings that grant type classes are constructed with: lifetimes, callbacks and options for this request. */
  get settings(): GrantTypeOptions {
    return (this.cachedSettings ??= this.makeSettings());
  }

  issue(authorization: Authorization, save?: SaveToken): Promise<Token> {
    return issueToken(this.settings, authorization, save);
  }

  redeem(authorization: Authorization, redemption: Redemption): Promise<Token> {
    return redeem(this.settings, authorization, redemption);
  }

  private makeSettings(): GrantTypeOptions {
    const { client, options } = this;
    const { format, report, server, supportsDetails } = this.context;
    return {
      accessTokenLifetime: client.accessTokenLifetime || options.accessTokenLifetime,
      refreshTokenLifetime: client.refreshTokenLifetime || options.refreshTokenLifetime,
      alwaysIssueNewRefreshToken: options.alwaysIssueNewRefreshToken,
      complete: server.hooks.token.issue.length > 0 ? (established) => this.complete(established) : undefined,
      enablePlainPKCE: options.enablePlainPKCE,
      clientRequest: this,
      format,
      grantLifetime: options.grantLifetime,
      issuer: this.issuer,
      model: options.model,
      report,
      refreshTokenReuseInterval: options.refreshTokenReuseInterval,
      requirePKCE: options.requirePKCE,
      defaultScope: server.defaultScope,
      ignorableScopes: server.ignorableScopes,
      scopeFormat: options.scopeFormat,
      scopeOptional: supportsDetails && this.parameters.optional(DETAILS, () => true) !== undefined,
    };
  }

  /**
   * Runs the `issue` hooks on the authorization that a grant established, and returns the members to save with the
   * token.
   */
  private async complete(established: Authorization): Promise<object> {
    this.authorization = established;
    for (const issue of this.context.server.hooks.token.issue) await issue(this);
    return this.tokenMembers;
  }
}
