export { OAuth2Server, OAuth2Server as default } from './server.js';
export type { Falsey } from './classic-types.js';
export { Request, type RequestOptions } from './http/request.js';
export { Response, type ResponseOptions } from './http/response.js';
export {
  AccessDeniedError,
  InsufficientScopeError,
  InvalidArgumentError,
  InvalidClientError,
  InvalidGrantError,
  InvalidRequestError,
  InvalidScopeError,
  InvalidTokenError,
  OAuthError,
  type OAuthErrorProperties,
  type RefusalDetail,
  ServerError,
  TemporarilyUnavailableError,
  UnauthorizedClientError,
  UnauthorizedRequestError,
  UnsupportedGrantTypeError,
  UnsupportedResponseTypeError,
} from './errors.js';
export { clientItself, isClientItself } from './clients/client-itself.js';
export type { EventSink, OAuth2Event, OAuth2EventName, OAuth2Events, RefusalEvent, TokenEvent } from './events.js';
export { AbstractGrantType, GrantType, type GrantTypeClass, type GrantTypeOptions } from './grants/grant-type.js';
export { AuthorizationCodeGrantType } from './grants/authorization-code.js';
export { ClientCredentialsGrantType } from './grants/client-credentials.js';
export { PasswordGrantType } from './grants/password.js';
export { RefreshTokenGrantType } from './grants/refresh-token.js';
export type { Authorization } from './tokens/issue-token.js';
export type { AuthorizationRequest } from './response-types/response-type.js';
export type {
  AuthenticateHandler,
  AuthenticateOptions,
  AuthorizeOptions,
  Callback,
  CommonOptions,
  CorsOptions,
  OAuth2ServerOptions,
  TokenOptions,
} from './options.js';
export type {
  AccessTokenModel,
  AuthorizationCode,
  AuthorizationCodeModel,
  Awaitable,
  Client,
  ClientCredentialsModel,
  ClientModel,
  Falsy,
  GrantModel,
  Model,
  ModelMethod,
  OnceModel,
  PasswordModel,
  RedeemModel,
  RefreshToken,
  RefreshTokenModel,
  Scope,
  Token,
  TokenModel,
  Unsaved,
  User,
} from './model/model.js';
