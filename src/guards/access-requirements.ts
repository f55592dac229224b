import type { Type } from '@nestjs/common';
import type { AuthenticateOptions, StepUp, TokenRequirements } from '../../lib/index.js';
import { ACCEPT_SESSION_METADATA } from '../decorators/accept-session.decorator.js';
import { ANY_SCOPE_METADATA } from '../decorators/any-scope.decorator.js';
import { NO_PERSONAL_TOKENS_METADATA } from '../decorators/no-personal-tokens.decorator.js';
import { OPTIONAL_AUTH_METADATA } from '../decorators/optional-auth.decorator.js';
import { PUBLIC_METADATA } from '../decorators/public.decorator.js';
import { REQUIRE_AUTH_METADATA } from '../decorators/require-auth.decorator.js';
import { ROLES_METADATA } from '../decorators/roles.decorator.js';
import { SCOPES_METADATA, SCOPES_OF_METADATA, type ScopesOf, verifyScopes } from '../decorators/scopes.decorator.js';
import { USE_OAUTH_METADATA } from '../decorators/use-oauth.decorator.js';
import { hasRequiredUserParameter } from '../decorators/user-parameters.js';
import { USER_REQUIRED_METADATA } from '../decorators/user-required.decorator.js';

/** The options of `authenticate()` for one route. */
type RouteOptions = Readonly<TokenRequirements & { scope?: string }>;

/** The access requirements of a route. If it has no options, the route accepts any valid access token. */
export interface AccessRequirements {
  /** Whether the route accepts requests without an access token and ignores tokens. */
  isPublic?: boolean;
  /** Whether the route accepts requests without an access token but rejects invalid tokens. */
  optional?: boolean;
  /** Whether the route is a server-sent event stream. */
  isEventStream?: boolean;
  /**
   * Whether the route accepts login sessions in addition to tokens. If omitted, the option `acceptSessions` of the
   * server decides.
   */
  acceptSession?: boolean;
  options?: RouteOptions | undefined;
  /** The name of the server that verifies the token. If omitted, the default server. */
  server?: string | undefined;
  /** The functions that return additional required scopes for each request. */
  scopeFunctions?: readonly ScopesOf[] | undefined;
}

/** The metadata key of `@UseGuards()`. */
const GUARDS_METADATA = '__guards__';

/**
 * Reads the access requirements of a route from its method, its controller and the classes that the controller extends.
 * The nearest `@Scopes()`, `@OptionalAuth()` or `@Public()` applies. The nearest `@Roles()`, `@RequireAuth()` and
 * `@UserRequired()` apply in addition. A `@Public()` has no effect if the same or a nearer declaration has one of these
 * three, or if a nearer class has an OAuth guard. A parameter with `@CurrentUser()` implies `@UserRequired()`, except on
 * an optional route.
 * @param isOAuthGuard whether a guard is the guard that reads the requirements
 */
export function readAccessRequirements(
  handler: object,
  controller: Type,
  isOAuthGuard: (guard: unknown) => boolean,
): AccessRequirements {
  const declaration = readNearestDeclaration(handler, controller, isOAuthGuard);
  const server = nearest(USE_OAUTH_METADATA, handler, controller) as string | null | undefined;
  const named = typeof server === 'string' ? { server } : {};
  const acceptSession = nearest(ACCEPT_SESSION_METADATA, handler, controller) as boolean | undefined;
  if (declaration.isPublic) return { isPublic: true, ...named };
  const isUserDeclared = isDeclared(USER_REQUIRED_METADATA, handler, controller);
  const stepUp = nearest(REQUIRE_AUTH_METADATA, handler, controller) as StepUp | undefined;
  const roles = nearest(ROLES_METADATA, handler, controller) as readonly string[] | undefined;
  const personalTokens = nearest(NO_PERSONAL_TOKENS_METADATA, handler, controller) !== true;
  const { scopes = [], anyScope, scopeFunctions } = declaration;
  verifyScopes(scopes);
  if (anyScope) verifyScopes(anyScope, '@AnyScope()');
  const optional = Boolean(declaration.optional) && !isUserDeclared && !stepUp && !roles;
  const userRequired = isUserDeclared || (!optional && hasRequiredUserParameter(handler, controller));
  return {
    ...named,
    optional,
    ...(acceptSession !== undefined && { acceptSession }),
    options: routeOptions({ scope: scopes.join(' '), anyScope, userRequired, roles, personalTokens, stepUp }),
    ...(scopeFunctions && { scopeFunctions }),
  };
}

/**
 * The token requirements of the nearest declaration: that of the method, its controller, or a class that the controller
 * extends. All members are `undefined` if nothing is declared.
 */
interface NearestDeclaration {
  readonly isPublic?: boolean;
  readonly optional?: boolean;
  readonly scopes?: readonly string[] | undefined;
  readonly anyScope?: readonly string[] | undefined;
  readonly scopeFunctions?: readonly ScopesOf[] | undefined;
}

function readNearestDeclaration(
  handler: object,
  controller: Type,
  isOurs: (guard: unknown) => boolean,
): NearestDeclaration {
  let isGuarded = false;
  for (const target of [handler, ...withBases(controller)]) {
    const own = (key: string): unknown => Reflect.getOwnMetadata(key, target);
    const scopes = own(SCOPES_METADATA) as string[] | undefined;
    const anyScope = own(ANY_SCOPE_METADATA) as string[] | undefined;
    const optional = Boolean(own(OPTIONAL_AUTH_METADATA));
    if (scopes || anyScope || optional) {
      return { optional, scopes, anyScope, scopeFunctions: own(SCOPES_OF_METADATA) as ScopesOf[] | undefined };
    }
    isGuarded ||= Boolean(own(USER_REQUIRED_METADATA) ?? own(REQUIRE_AUTH_METADATA) ?? own(ROLES_METADATA));
    const isPublic = own(PUBLIC_METADATA);
    if (isPublic && !isGuarded) return { isPublic: true };
    isGuarded ||= isPublic === false || ownGuards(target).some(isOurs);
  }
  return {};
}

/**
 * Whether a route has a certain guard on its method or its controller. Global guards are not included.
 * @param isOAuthGuard whether a guard is the one to look for
 */
export function isGuardedBy(isOAuthGuard: (guard: unknown) => boolean, handler: object, controller: Type): boolean {
  return [handler, controller].some((target) =>
    ((Reflect.getMetadata(GUARDS_METADATA, target) as unknown[] | undefined) ?? []).some(isOAuthGuard),
  );
}

/**
 * Returns the metadata of a method or, if the method has no such metadata, of its controller or a class that the
 * controller extends.
 */
const nearest = (key: string, handler: object, controller: Type): unknown =>
  Reflect.getMetadata(key, Reflect.hasOwnMetadata(key, handler) ? handler : controller);

const isDeclared = (key: string, ...targets: object[]) =>
  targets.some((target) => Boolean(Reflect.getMetadata(key, target)));

/** Returns a class and the classes that it extends, the nearest first. */
function withBases(controller: Type): object[] {
  const bases: object[] = [];
  let base: object | null = controller;
  for (; base && base !== Function.prototype; base = Object.getPrototypeOf(base) as object | null) bases.push(base);
  return bases;
}

/**
 * Returns the guards that a class or method itself declares. Nest stores them after the guards of the base class, which
 * are left out.
 */
function ownGuards(target: object): unknown[] {
  const base = Object.getPrototypeOf(target) as object;
  const guards: unknown[] = Reflect.getOwnMetadata(GUARDS_METADATA, target) ?? [];
  const inherited: unknown[] = Reflect.getMetadata(GUARDS_METADATA, base) ?? [];
  return guards.slice(inherited.length);
}

/**
 * Returns the options of `authenticate()` for one request: the requirements of the route, and the scopes that its
 * functions return. The token is not verified yet, so the work is bounded by the number of scopes and not by the size
 * of the request.
 */
export function authenticateOptionsFor(
  { options, scopeFunctions }: AccessRequirements,
  request: Parameters<ScopesOf>[0],
): AuthenticateOptions | undefined {
  if (!scopeFunctions) return options;
  const additional = new Set<string>();
  for (const scopes of scopeFunctions) for (const scope of scopes(request)) additional.add(scope);
  // The engine stores an operation for each scope, so the order of the scopes must not matter.
  const values = [...new Set([...(options?.scope?.split(' ') ?? []), ...[...additional].toSorted()])];
  verifyScopes(values);
  return routeOptions({ ...options, scope: values.join(' ') });
}

/** Returns the set requirements of a route. `undefined` if none is set. */
function routeOptions({
  scope,
  anyScope,
  userRequired,
  roles,
  personalTokens,
  stepUp,
}: { [K in keyof RouteOptions]: RouteOptions[K] | undefined }): RouteOptions | undefined {
  const options: RouteOptions = {
    ...(scope && { scope }),
    ...(anyScope && { anyScope }),
    ...(userRequired && { userRequired }),
    ...(personalTokens === false && { personalTokens }),
    ...(roles && { roles }),
    ...(stepUp && { stepUp }),
  };
  return Object.keys(options).length > 0 ? options : undefined;
}
