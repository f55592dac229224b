import { ACCEPT_SESSION_METADATA } from './accept-session.decorator.js';
import { ANY_SCOPE_METADATA } from './any-scope.decorator.js';
import { NO_PERSONAL_TOKENS_METADATA } from './no-personal-tokens.decorator.js';
import { OPTIONAL_AUTH_METADATA } from './optional-auth.decorator.js';
import { PUBLIC_METADATA } from './public.decorator.js';
import { REQUIRE_AUTH_METADATA } from './require-auth.decorator.js';
import { ROLES_METADATA } from './roles.decorator.js';
import { SCOPES_METADATA, SCOPES_OF_METADATA } from './scopes.decorator.js';
import { USE_OAUTH_METADATA } from './use-oauth.decorator.js';
import { USER_REQUIRED_METADATA } from './user-required.decorator.js';

/**
 * The keys under which decorators store their values as metadata of a route, for guards and documentation of the
 * application: `Reflect.getMetadata(OAUTH2_METADATA.scopes, handler)`.
 */
export const OAUTH2_METADATA = Object.freeze({
  /** The argument of `@AcceptSession()`, `true` or `false`. */
  acceptSession: ACCEPT_SESSION_METADATA,
  /** The scopes of `@AnyScope()`. */
  anyScope: ANY_SCOPE_METADATA,
  /** The argument of `@NoPersonalTokens()`, `true` or `false`. */
  noPersonalTokens: NO_PERSONAL_TOKENS_METADATA,
  /** `true` if the route has `@OptionalAuth()`. */
  optionalAuth: OPTIONAL_AUTH_METADATA,
  /** `true` if the route has `@Public()`. */
  public: PUBLIC_METADATA,
  /** The options of `@RequireAuth()`. */
  requireAuth: REQUIRE_AUTH_METADATA,
  /** The roles of `@Roles()`. */
  roles: ROLES_METADATA,
  /** The scopes of `@Scopes()`. */
  scopes: SCOPES_METADATA,
  /** The functions of `@Scopes()`. */
  scopesOf: SCOPES_OF_METADATA,
  /** The name of the server in `@UseOAuth()`. `null` for the default server. */
  useOAuth: USE_OAUTH_METADATA,
  /** `true` if the route has `@UserRequired()`. */
  userRequired: USER_REQUIRED_METADATA,
});
