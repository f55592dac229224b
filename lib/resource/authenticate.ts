import {
  InsufficientScopeError,
  InvalidTokenError,
  ServerError,
  toOAuthError,
  UnauthorizedRequestError,
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
    this.required = scopeText(options.scope);
  }

  async handle(request: Request, response: Response): Promise<Token> {
    verifyWrappers(request, response);
    requireMethods(this.options.model, ['getAccessToken']);
    try {
      const accessToken = readBearerToken(request, this.options.allowBearerTokensInQueryString);
      const token = verifyToken(await this.options.model.getAccessToken!(accessToken));
      if (this.required) {
        await this.verifyScope(token, this.required);
        this.reportScopes(response, token, this.required);
      }
      return token;
    } catch (error) {
      throw refuse(response, toOAuthError(error));
    }
  }

  private async verifyScope(token: Token, required: string): Promise<void> {
    const { model, scopeFormat } = this.options;
    const sufficient = model.verifyScope
      ? await model.verifyScope(token, scopeForModel(required, scopeFormat) as Scope)
      : coversScope(token.scope, required);
    if (!sufficient) throw new InsufficientScopeError('Insufficient scope: authorized scope is insufficient');
  }

  private reportScopes(response: Response, token: Token, required: string): void {
    if (this.options.addAcceptedScopesHeader) response.set('X-Accepted-OAuth-Scopes', required);
    const authorized = this.options.addAuthorizedScopesHeader && scopeText(token.scope);
    if (authorized) response.set('X-OAuth-Scopes', authorized);
  }
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
    response.set('WWW-Authenticate', `Bearer realm="Service",error="${error.name}"`);
  }
  return error;
}
