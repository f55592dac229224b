const ERRORS = [
  'AccessDeniedError',
  'InsufficientScopeError',
  'InvalidArgumentError',
  'InvalidClientError',
  'InvalidGrantError',
  'InvalidRequestError',
  'InvalidScopeError',
  'InvalidTokenError',
  'OAuthError',
  'ServerError',
  'UnauthorizedClientError',
  'UnauthorizedRequestError',
  'UnsupportedGrantTypeError',
  'UnsupportedResponseTypeError',
];

/** The classes of the old engines that `nest-oauth2/server` exports with the same names. */
const CLASSES = new Set(['OAuth2Server', 'Request', 'Response', 'AbstractGrantType', ...ERRORS]);

/** The types of the old engines that `nest-oauth2/server` exports with the same names. */
const TYPES = new Set([
  'AuthenticateOptions',
  'AuthorizationCode',
  'AuthorizeOptions',
  'Client',
  'Falsey',
  'RefreshToken',
  'Token',
  'TokenOptions',
  'User',
]);

/** The types that exist as members of `OAuth2Server` only, or whose export of the same name is another type. */
const MEMBER_TYPES = new Set([
  'AuthorizationCodeModel',
  'BaseModel',
  'ClientCredentialsModel',
  'ExtensionModel',
  'PasswordModel',
  'RefreshTokenModel',
  'RequestAuthenticationModel',
  'ServerOptions',
]);

/** Whether `nest-oauth2/server` exports this name of an old engine. */
export const isExported = (name: string | undefined): name is string =>
  name !== undefined && (name === 'default' || CLASSES.has(name) || TYPES.has(name));

/** Whether this name is a class of the old engines, or their default export. */
export const isClass = (name: string | undefined): name is string =>
  name !== undefined && (name === 'default' || CLASSES.has(name));

/** Whether this type of the old engines is now a member of `OAuth2Server`: `OAuth2Server.ServerOptions`. */
export const isMemberType = (name: string): boolean => MEMBER_TYPES.has(name);

const FILES: Readonly<Record<string, string>> = {
  '': 'OAuth2Server',
  index: 'OAuth2Server',
  'lib/server': 'OAuth2Server',
  'lib/request': 'Request',
  'lib/response': 'Response',
  'lib/grant-types/abstract-grant-type': 'AbstractGrantType',
  ...Object.fromEntries(ERRORS.map((name) => [`lib/errors/${kebab(name)}`, name])),
};

/**
 * Returns the class that a file of an old engine exports, such as `Request` for `lib/request`. `undefined` if
 * `nest-oauth2/server` does not export it.
 */
export const classOfFile = (path: string): string | undefined => (Object.hasOwn(FILES, path) ? FILES[path] : undefined);

function kebab(name: string): string {
  return name
    .replace('OAuth', 'Oauth')
    .replaceAll(/(?<=[a-z])[A-Z]/g, '-$&')
    .toLowerCase();
}
