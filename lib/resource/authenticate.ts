import {
  InsufficientScopeError,
  InvalidArgumentError,
  InvalidTokenError,
  ServerError,
  toOAuthError,
  UnauthorizedRequestError,
  wireCode,
} from '../errors.js';
import type { OAuthError } from '../errors.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Falsy, Scope, Token } from '../model/model.js';
import { requireMethods } from '../model/require-methods.js';
import { Operation, sayRetryAfter, verifyWrappers } from '../operation.js';
import type { Options } from '../options.js';
import { isOver } from '../tokens/issue-token.js';
import { coversScope, scopeForModel, scopeText } from '../tokens/scope.js';
import { readBearerToken } from './bearer-token.js';

/** Finds and checks the access token of a request. RFC 6750 */
export class AuthenticateOperation extends Operation<Token> {
  /** The required scope as headers name it; undefined when any token will do. */
  private readonly required: string | undefined;

  constructor(options: Options) {
    super(options);
    requireMethods(options.model, METHODS);
    this.required = requiredScope(options.scope);
  }

  async handle(request: Request, response: Response): Promise<Token> {
    verifyWrappers(request, response);
    const { model, scopeFormat, allowBearerTokensInQueryString } = this.options;
    // Thrown once, at the end: to throw it up to here first was a sixth of the time of a refusal.
    let objection: OAuthError | undefined;
    try {
      const token = await model.getAccessToken!(readBearerToken(request, allowBearerTokensInQueryString));
      objection = objectionTo(token);
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
    throw refuse(response, objection);
  }

  private reportScopes({ headers }: Response, granted: Scope | undefined): void {
    if (this.options.addAcceptedScopesHeader) headers['x-accepted-oauth-scopes'] = this.required!;
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
function objectionTo(token: Token | Falsy): OAuthError | undefined {
  if (!token) return new InvalidTokenError('Invalid token: access token is invalid');
  if (!token.user) return new ServerError('Server error: `getAccessToken()` did not return a `user` object');
  if (!(token.accessTokenExpiresAt instanceof Date)) {
    return new ServerError('Server error: `accessTokenExpiresAt` must be a Date instance');
  }
  return isOver(token.accessTokenExpiresAt)
    ? new InvalidTokenError('Invalid token: access token has expired')
    : undefined;
}

/** Says on the response why the request is refused; a request without a token learns only the scheme. RFC 6750 §3 */
export function refuse(response: Response, error: OAuthError): OAuthError {
  response.status = error.code;
  if (error instanceof UnauthorizedRequestError) {
    response.headers['www-authenticate'] = 'Bearer realm="Service"';
  } else if (error.code < 500) {
    response.headers['www-authenticate'] = `Bearer realm="Service",error="${wireCode(error)}"`;
  } else {
    sayRetryAfter(response, error);
  }
  return error;
}
