import type { ClientRequest } from '../../contracts/client-request.js';
import { InvalidArgumentError } from '../../errors/index.js';
import type { Request } from '../../http/request.js';
import type { Awaitable, CoreClient, Falsy, Model, Scope, Token, User } from '../../model/model.js';
import type { Authorization } from '../../contracts/authorization.js';
import { generateAccessToken, generateRefreshToken, type IssueOptions } from '../../tokens/issuance.js';
import { issueToken } from '../../tokens/issue-token.js';
import { expiry } from '../../tokens/lifetime.js';
import { approveScope, requestedScope, scopeForModel } from '../../tokens/scope.js';

/** What a grant type is made with: lifetimes are seconds, and a client's own have been put in. */
export interface GrantTypeOptions extends IssueOptions {
  alwaysIssueNewRefreshToken?: boolean;
  enablePlainPKCE?: boolean;
  refreshTokenReuseInterval?: number;
  requirePKCE?: 'public' | 'all' | 'none';
  /** The request that a token is asked for by, as the features of the server see it; left out: by a host's own call. */
  clientRequest?: ClientRequest;
  /** Reports an event to the operator. */
  report?(name: string, payload: object): void;
}

/**
 * On what ground a token is asked for. A subclass decides whether the ground is good and ends in `issueToken`.
 * The other methods are those of the classic `AbstractGrantType`. RFC 6749 §1.3
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

  /** Decides a token request of an authenticated client; throws an OAuthError to refuse it. */
  abstract handle(request: Request, client: CoreClient): Awaitable<Token | Falsy>;

  /** Mints the token this grant established, and saves it. */
  protected issueToken(authorization: Authorization): Promise<Token> {
    return issueToken(this.options, authorization);
  }

  /** The `scope` parameter of the request, in the form the model was written for. RFC 6749 §3.3 */
  getScope(request: Request): Scope | undefined {
    return scopeForModel(requestedScope(request), this.options.scopeFormat ?? 'string');
  }

  /** The scope the model grants. @throws InvalidScopeError when it grants none */
  async validateScope(user: User, client: CoreClient, scope?: Scope): Promise<Scope | undefined> {
    const granted = await approveScope(this.options, { client, user, ...(scope ? { scope } : {}) });
    return scopeForModel(granted, this.options.scopeFormat ?? 'string');
  }

  /** A new access token: the model's own, or 256 random bits. */
  generateAccessToken(client: CoreClient, user: User, scope?: Scope): Promise<string> {
    return generateAccessToken(this.model, client, user, scope);
  }

  /** A new refresh token: the model's own, or 256 random bits. */
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
 * `GrantType` under its classic name, for hosts' extension grants. It can also be called without `new`, as constructor
 * functions that inherit by `util.inherits` do.
 */
export const AbstractGrantType: typeof GrantType = new Proxy(GrantType, {
  apply: (target, self: object, [options]) => Object.assign(self, Reflect.construct(target, [options])),
});
export type AbstractGrantType<Needs = unknown> = GrantType<Needs>;
