import {
  InsufficientScopeError,
  InvalidArgumentError,
  InvalidTokenError,
  ServerError,
  toOAuthError,
} from '../../errors/index.js';
import type { OAuthError } from '../../errors/index.js';
import type { EventSink } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import { isScope } from '../../http/syntax.js';
import type { Falsy, Scope, Token } from '../../model/model.js';
import { requireMethods } from '../../model/require-methods.js';
import { Operation, verifyWrappers } from '../operation.js';
import type { Options } from '../../options/settle.js';
import { isConfirmed } from '../../tokens/confirmation.js';
import { isOfIssuer } from '../../tokens/issuer.js';
import { isOver } from '../../tokens/lifetime.js';
import { coversScope, scopeForModel, scopeText } from '../../tokens/scope.js';
import { headerBy, readBearerToken, schemeOf } from './bearer-token.js';
import { rejectRequest, reportAccessRefusal } from './refusal.js';
import { isFirstRefusal, lookUp } from './shared-look-ups.js';

/** Finds and checks the access token of a request. RFC 6750 */
export class AuthenticateOperation extends Operation<Token> {
  /** The required scope as headers name it; undefined when any token will do. */
  private readonly required: string | undefined;
  /** The same, where a challenge can say it. */
  private readonly sayable: string | undefined;
  private readonly presents = this.server.hooks.resource.verify;
  private readonly schemes = [...this.server.tokenSchemes.keys()];
  private readonly header = headerBy('Bearer', ...this.schemes);

  constructor(options: Options, server: ServerContext) {
    super(options, server);
    requireMethods(options.model, METHODS);
    this.required = requiredScope(options.scope);
    this.sayable = this.required !== undefined && isScope(this.required) ? this.required : undefined;
  }

  handle(request: Request, response: Response): Promise<Token> {
    return this.verify(request, response, this.options.events);
  }

  /** The same, telling these listeners of a refusal, or nobody. */
  async verify(request: Request, response: Response, events?: EventSink): Promise<Token> {
    verifyWrappers(request, response);
    const { model, scopeFormat, allowBearerTokensInQueryString } = this.options;
    // Thrown once, at the end: to throw it up to here first was a sixth of the time of a refusal.
    let objection: OAuthError | undefined;
    let token: Token | Falsy;
    let issuer: string | undefined;
    try {
      const value = readBearerToken(request, allowBearerTokensInQueryString, this.header);
      token = await lookUp(model, value, request);
      objection = objectionTo(token, (issuer = this.server.issuerOf(request)), this.server.confirmationMethods);
      if (!objection && this.presents.length > 0) {
        const { options, server } = this;
        const scheme = schemeOf(request, this.schemes) ?? 'Bearer';
        const presented = { token: token as Token, value, scheme, request, response, options, server };
        for (const verify of this.presents) await verify(presented);
      }
      if (!objection && this.required) {
        const sufficient = model.verifyScope
          ? await model.verifyScope(token as Token, scopeForModel(this.required, scopeFormat) as Scope)
          : coversScope((token as Token).scope, this.required);
        if (sufficient) this.reportScopes(response, (token as Token).scope);
        else objection = new InsufficientScopeError('Insufficient scope: authorized scope is insufficient');
      }
      if (!objection) return token as Token;
    } catch (error) {
      objection = toOAuthError(error);
    }
    if (this.sayable && objection.code < 500) this.reportAccepted(response);
    if (events && isFirstRefusal(request, `${objection.name} ${this.required}`)) {
      reportAccessRefusal(events, objection, { token, required: this.required, issuer });
    }
    throw rejectRequest(response, objection, {
      request,
      options: this.options,
      server: this.server,
      scope: this.sayable,
    });
  }

  private reportAccepted({ headers }: Response): void {
    if (this.required && this.options.addAcceptedScopesHeader) headers['x-accepted-oauth-scopes'] = this.required;
  }

  private reportScopes(response: Response, granted: Scope | undefined): void {
    const { headers } = response;
    this.reportAccepted(response);
    const authorized = this.options.addAuthorizedScopesHeader && scopeText(granted);
    if (authorized) headers['x-oauth-scopes'] = authorized;
  }
}

const METHODS = ['getAccessToken'] as const;

/** A scope that is none must not be taken for "any token will do". */
function requiredScope(scope: unknown): string | undefined {
  if (scope && typeof scope !== 'string' && !Array.isArray(scope)) {
    throw new InvalidArgumentError('Invalid parameter: `scope`');
  }
  const required = scopeText(scope)?.split(' ').filter(Boolean).join(' ');
  const isGiven = Array.isArray(scope) ? scope.length > 0 : Boolean(scope);
  if (isGiven && !required) throw new InvalidArgumentError('Invalid parameter: `scope`');
  return required;
}

/** What is wrong with what the model found, if anything. */
function objectionTo(
  token: Token | Falsy,
  issuer: string | undefined,
  confirms: ReadonlySet<string>,
): OAuthError | undefined {
  if (!token) return new InvalidTokenError('Invalid token: access token is invalid');
  if (!isOfIssuer(token, issuer)) {
    const detail = { rule: 'the token is of the issuer that is asked', wanted: issuer, given: token.issuer };
    return new InvalidTokenError('Invalid token: access token is invalid').because(detail);
  }
  if (!token.user) return new ServerError('Server error: `getAccessToken()` did not return a `user` object');
  if (!(token.accessTokenExpiresAt instanceof Date)) {
    return new ServerError('Server error: `accessTokenExpiresAt` must be a Date instance');
  }
  if (isOver(token.accessTokenExpiresAt)) return new InvalidTokenError('Invalid token: access token has expired');
  if (token['cnf'] === undefined || isConfirmed(token['cnf'], confirms)) return undefined;
  const rule = 'what a token is bound to is verified by a feature: list `dpop()`, or one of yours that `confirms` it';
  return new InvalidTokenError('Invalid token: it is bound to a key').because({ rule });
}
