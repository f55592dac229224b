import * as errors from '../errors/index.js';
import type * as grants from '../endpoints/token/grant-type.js';
import type * as http from '../http/request.js';
import type * as response from '../http/response.js';
import type * as application from '../model/application-types.js';
import type * as model from '../model/model.js';
import type * as options from '../options/options.js';

/** The name that version 5.x uses for `Falsy`. */
export type Falsey = model.Falsy;

// The types that applications of version 5.x use as members of the class, such as `OAuth2Server.Token`.
declare module './server.js' {
  namespace OAuth2Server {
    // oxlint-disable-next-line no-shadow
    type Falsey = model.Falsy;
    type Client = model.Client;
    type User = model.User;
    type Token = application.Token;
    type RefreshToken = application.RefreshToken;
    type AuthorizationCode = application.AuthorizationCode;

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
    export import OAuthError = errors.OAuthError;
    export import AccessDeniedError = errors.AccessDeniedError;
    export import AccountSelectionRequiredError = errors.AccountSelectionRequiredError;
    export import AuthorizationPendingError = errors.AuthorizationPendingError;
    export import ConsentRequiredError = errors.ConsentRequiredError;
    export import ExpiredLoginHintTokenError = errors.ExpiredLoginHintTokenError;
    export import ExpiredTokenError = errors.ExpiredTokenError;
    export import InsufficientScopeError = errors.InsufficientScopeError;
    export import InsufficientUserAuthenticationError = errors.InsufficientUserAuthenticationError;
    export import InteractionRequiredError = errors.InteractionRequiredError;
    export import RequestNotSupportedError = errors.RequestNotSupportedError;
    export import RequestUriNotSupportedError = errors.RequestUriNotSupportedError;
    export import RegistrationNotSupportedError = errors.RegistrationNotSupportedError;
    export import InvalidArgumentError = errors.InvalidArgumentError;
    export import InvalidAuthorizationDetailsError = errors.InvalidAuthorizationDetailsError;
    export import InvalidBindingMessageError = errors.InvalidBindingMessageError;
    export import InvalidClientError = errors.InvalidClientError;
    export import InvalidClientMetadataError = errors.InvalidClientMetadataError;
    export import InvalidRequestObjectError = errors.InvalidRequestObjectError;
    export import InvalidRequestUriError = errors.InvalidRequestUriError;
    export import InvalidDpopProofError = errors.InvalidDpopProofError;
    export import InvalidGrantError = errors.InvalidGrantError;
    export import InvalidRedirectUriError = errors.InvalidRedirectUriError;
    export import InvalidRequestError = errors.InvalidRequestError;
    export import InvalidScopeError = errors.InvalidScopeError;
    export import InvalidSoftwareStatementError = errors.InvalidSoftwareStatementError;
    export import InvalidTargetError = errors.InvalidTargetError;
    export import InvalidTokenError = errors.InvalidTokenError;
    export import InvalidUserCodeError = errors.InvalidUserCodeError;
    export import LoginRequiredError = errors.LoginRequiredError;
    export import MissingUserCodeError = errors.MissingUserCodeError;
    export import ServerError = errors.ServerError;
    export import SlowDownError = errors.SlowDownError;
    export import TemporarilyUnavailableError = errors.TemporarilyUnavailableError;
    export import UnapprovedSoftwareStatementError = errors.UnapprovedSoftwareStatementError;
    export import UnauthorizedClientError = errors.UnauthorizedClientError;
    export import UnauthorizedRequestError = errors.UnauthorizedRequestError;
    export import UnknownUserIdError = errors.UnknownUserIdError;
    export import UnmetAuthenticationRequirementsError = errors.UnmetAuthenticationRequirementsError;
    export import UnsupportedGrantTypeError = errors.UnsupportedGrantTypeError;
    export import UnsupportedResponseTypeError = errors.UnsupportedResponseTypeError;
    export import UnsupportedTokenTypeError = errors.UnsupportedTokenTypeError;
    export import UseDpopNonceError = errors.UseDpopNonceError;
  }
}
