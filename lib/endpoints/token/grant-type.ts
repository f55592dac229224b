import { InvalidArgumentError } from '../../errors/index.js';
import type { Request } from '../../http/request.js';
import type { Awaitable, CoreClient, Falsy, Model, Scope, Token, User } from '../../model/model.js';
import type { Authorization } from '../../contracts/authorization.js';
import { generateAccessToken, generateRefreshToken, type IssueOptions } from '../../tokens/issuance.js';
import { issueToken } from '../../tokens/issue-token.js';
import { expiry } from '../../tokens/lifetime.js';
import { approveScope, requestedScope, scopeForModel } from '../../tokens/scope.js';

/**
 * The settings that a grant type class is constructed with. Lifetimes are in seconds. A lifetime of the client, if it
 * has one, replaces that of the server.
 */
export interface GrantTypeOptions extends IssueOptions {
  alwaysIssueNewRefreshToken?: boolean;
}

/**
 * The base class of grant types. A subclass validates the grant in `handle()`, which calls `issueToken()` at its end.
 * The other methods are those of `AbstractGrantType` in the legacy `oauth2-server` interface. RFC 6749 §1.3
 */
export abstract class GrantType<Needs = unknown> {
  readonly accessTokenLifetime: number;
  readonly refreshTokenLifetime: number | undefined;
  readonly alwaysIssueNewRefreshToken: boolean | undefined;
  readonly model: Model & Needs;

  constructor(protected readonly options: GrantTypeOptions) {
    if (!options?.accessTokenLifetime) throw new InvalidArgumentError('Missing parameter: `accessTokenLifetime`');
    if (!options.model) throw new InvalidArgumentError('Missing parameter: `model`');
    this.accessTokenLifetime = options.accessTokenLifetime;
    this.refreshTokenLifetime = options.refreshTokenLifetime;
    this.alwaysIssueNewRefreshToken = options.alwaysIssueNewRefreshToken;
    this.model = options.model as Model & Needs;
  }

  /**
   * Handles the token request of an authenticated or public client, and returns the saved token.
   * @throws {OAuthError} To refuse the request.
   */
  abstract handle(request: Request, client: CoreClient): Awaitable<Token | Falsy>;

  /** Creates a token for the authorization that the grant established, saves it, and returns the saved token. */
  protected issueToken(authorization: Authorization): Promise<Token> {
    return issueToken(this.options, authorization);
  }

  /**
   * Returns the `scope` parameter of the request, in the form that the model expects. `undefined` if it is missing.
   * RFC 6749 §3.3
   */
  getScope(request: Request): Scope | undefined {
    return scopeForModel(requestedScope(request), this.options.scopeFormat ?? 'string');
  }

  /**
   * Returns the scope that `validateScope()` of the model grants. A model without this method grants the whole scope.
   * @throws {InvalidScopeError} If the model grants no scope.
   */
  async validateScope(user: User, client: CoreClient, scope?: Scope): Promise<Scope | undefined> {
    const granted = await approveScope(this.options, { client, user, ...(scope ? { scope } : {}) });
    return scopeForModel(granted, this.options.scopeFormat ?? 'string');
  }

  /** Returns a new access token: from the model if it generates tokens, otherwise 256 random bits. */
  generateAccessToken(client: CoreClient, user: User, scope?: Scope): Promise<string> {
    return generateAccessToken(this.model, client, user, scope);
  }

  /** Returns a new refresh token: from the model if it generates tokens, otherwise 256 random bits. */
  generateRefreshToken(client: CoreClient, user: User, scope?: Scope): Promise<string> {
    return generateRefreshToken(this.model, client, user, scope);
  }

  getAccessTokenExpiresAt(): Date {
    return expiry(this.accessTokenLifetime, 'accessTokenLifetime');
  }

  getRefreshTokenExpiresAt(): Date {
    return expiry(this.refreshTokenLifetime, 'refreshTokenLifetime');
  }
}

/**
 * `GrantType` under its name in the legacy `oauth2-server` interface, for existing extension grants of applications. New
 * code extends `GrantType` of `nest-oauth2/features`. This class can also be called without `new`, because constructor
 * functions that inherit with `util.inherits()` do so.
 */
export const AbstractGrantType: typeof GrantType = new Proxy(GrantType, {
  apply: (target, self: object, [options]) => Object.assign(self, Reflect.construct(target, [options])),
});
export type AbstractGrantType<Needs = unknown> = GrantType<Needs>;
