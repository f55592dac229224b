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
import type { Scope, Token } from '../model/model.js';
import { requireMethods } from '../model/require-methods.js';
import { Operation, verifyWrappers } from '../operation.js';
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
    const { model } = this.options;
    try {
      const accessToken = readBearerToken(request, this.options.allowBearerTokensInQueryString);
      const token = verifyToken(await model.getAccessToken!(accessToken));
      if (this.required) {
        const sufficient = model.verifyScope
          ? await model.verifyScope(token, scopeForModel(this.required, this.options.scopeFormat) as Scope)
          : coversScope(token.scope, this.required);
        if (!sufficient) throw new InsufficientScopeError('Insufficient scope: authorized scope is insufficient');
        this.reportScopes(response, token.scope, this.required);
      }
      return token;
    } catch (error) {
      throw refuse(response, toOAuthError(error));
    }
  }

  private reportScopes(response: Response, granted: Scope | undefined, required: string): void {
    if (this.options.addAcceptedScopesHeader) response.headers['x-accepted-oauth-scopes'] = required;
    const authorized = this.options.addAuthorizedScopesHeader && scopeText(granted);
    if (authorized) response.headers['x-oauth-scopes'] = authorized;
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

function verifyToken(token: Token | false | 0 | '' | null | undefined): Token {
  if (!token) throw new InvalidTokenError('Invalid token: access token is invalid');
  if (!token.user) throw new ServerError('Server error: `getAccessToken()` did not return a `user` object');
  if (!(token.accessTokenExpiresAt instanceof Date)) {
    throw new ServerError('Server error: `accessTokenExpiresAt` must be a Date instance');
  }
  if (isOver(token.accessTokenExpiresAt)) throw new InvalidTokenError('Invalid token: access token has expired');
  return token;
}

/** Says on the response why the request is refused; a request without a token learns only the scheme. RFC 6750 §3 */
function refuse(response: Response, error: OAuthError): OAuthError {
  response.status = error.code;
  if (error instanceof UnauthorizedRequestError) {
    response.set('WWW-Authenticate', 'Bearer realm="Service"');
  } else if (error.code < 500) {
    response.set('WWW-Authenticate', `Bearer realm="Service",error="${wireCode(error)}"`);
  }
  return error;
}
