import { AUTHORIZATION_DETAILS, DETAILS } from '../../contracts/authorization-details.js';
import type { Authorization } from '../../contracts/authorization.js';
import { ClientRequest } from '../../contracts/client-request.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Redemption, SaveToken } from '../../contracts/redemption.js';
import type { TokenFormat } from '../../contracts/token-format.js';
import type { TokenRequest } from '../../contracts/token-request.js';
import type { Model, Token } from '../../model/model.js';
import type { IssueOptions } from '../../tokens/issuance.js';
import { issueToken } from '../../tokens/issue-token.js';

/**
 * A client request to the token endpoint. It is also the options with which its token is issued: those of the client,
 * then those of the call. Getters read them, so that no request copies the options. RFC 6749 §3.2
 */
export class IssuingRequest extends ClientRequest implements TokenRequest, IssueOptions {
  declare readonly server: ServerContext;

  issue(authorization: Authorization, save?: SaveToken): Promise<Token> {
    return issueToken(this, authorization, { save });
  }

  redeem(authorization: Authorization, redemption: Redemption): Promise<Token> {
    return issueToken(this, authorization, { redemption });
  }

  get model(): Model {
    return this.options.model;
  }

  get accessTokenLifetime(): number {
    return this.client.accessTokenLifetime || this.options.accessTokenLifetime;
  }

  get refreshTokenLifetime(): number {
    return this.client.refreshTokenLifetime || this.options.refreshTokenLifetime;
  }

  get grantLifetime(): number {
    return this.options.grantLifetime;
  }

  get scopeFormat(): 'string' | 'array' {
    return this.options.scopeFormat;
  }

  get ignorableScopes(): readonly string[] {
    return this.server.ignorableScopes;
  }

  get defaultScope(): readonly string[] {
    return this.server.defaultScope;
  }

  get format(): TokenFormat | undefined {
    return this.server.hooks.token.format[0];
  }

  /** Whether the request contains `authorization_details` and the server supports them. RFC 9396 §2 */
  get scopeOptional(): boolean {
    return (
      this.server.find(AUTHORIZATION_DETAILS) !== undefined &&
      this.parameters.optional(DETAILS, () => true) !== undefined
    );
  }

  /** Runs the `issue` hooks. `undefined` if no feature has such a hook. */
  get complete(): ((authorization: Authorization) => Promise<object>) | undefined {
    return this.server.hooks.token.issue.length > 0 ? runIssueHooks : undefined;
  }
}

/**
 * Runs the `issue` hooks on the authorization that a grant established, and returns the members to save with the token.
 */
async function runIssueHooks(this: IssuingRequest, established: Authorization): Promise<object> {
  this.authorization = established;
  for (const issue of this.server.hooks.token.issue) await issue(this);
  return this.tokenMembers;
}
