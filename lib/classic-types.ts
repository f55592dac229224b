import type * as errors from './errors.js';
import type * as grants from './grants/grant-type.js';
import type * as http from './http/request.js';
import type * as response from './http/response.js';
import type * as model from './model/model.js';
import type * as options from './options.js';

/** `Falsy`, under the name that the types of 5.x have for it. */
export type Falsey = model.Falsy;

// The types that hosts of 5.x know as members of the class, `OAuth2Server.Token` and so on.
declare module './server.js' {
  namespace OAuth2Server {
    // oxlint-disable-next-line no-shadow
    type Falsey = model.Falsy;
    type Client = model.Client;
    type User = model.User;
    type Token = model.Token;
    type RefreshToken = model.RefreshToken;
    type AuthorizationCode = model.AuthorizationCode;

    type BaseModel = model.ClientModel & model.TokenModel;
    type RequestAuthenticationModel = model.AccessTokenModel;
    type ExtensionModel = BaseModel & RequestAuthenticationModel;
    type AuthorizationCodeModel = ExtensionModel & model.AuthorizationCodeModel;
    type ClientCredentialsModel = ExtensionModel & model.ClientCredentialsModel;
    type PasswordModel = ExtensionModel & model.PasswordModel;
    type RefreshTokenModel = ExtensionModel & model.RefreshTokenModel;

    type ServerOptions = options.OAuth2ServerOptions;
    type AuthenticateOptions = options.AuthenticateOptions;
    type AuthorizeOptions = options.AuthorizeOptions;
    type TokenOptions = options.TokenOptions;

    type Request = http.Request;
    type Response = response.Response;
    type AbstractGrantType = grants.AbstractGrantType;
    type OAuthError = errors.OAuthError;
    type AccessDeniedError = errors.AccessDeniedError;
    type InsufficientScopeError = errors.InsufficientScopeError;
    type InvalidArgumentError = errors.InvalidArgumentError;
    type InvalidClientError = errors.InvalidClientError;
    type InvalidGrantError = errors.InvalidGrantError;
    type InvalidRequestError = errors.InvalidRequestError;
    type InvalidScopeError = errors.InvalidScopeError;
    type InvalidTargetError = errors.InvalidTargetError;
    type InvalidTokenError = errors.InvalidTokenError;
    type ServerError = errors.ServerError;
    type TemporarilyUnavailableError = errors.TemporarilyUnavailableError;
    type UnauthorizedClientError = errors.UnauthorizedClientError;
    type UnauthorizedRequestError = errors.UnauthorizedRequestError;
    type UnsupportedGrantTypeError = errors.UnsupportedGrantTypeError;
    type UnsupportedResponseTypeError = errors.UnsupportedResponseTypeError;
    type UnsupportedTokenTypeError = errors.UnsupportedTokenTypeError;
  }
}
