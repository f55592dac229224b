import type { Type } from '@nestjs/common';
import type { AuthenticateOptions, StepUp, TokenRequirements } from '../../lib/index.js';
import { ANY_SCOPE_METADATA } from '../decorators/any-scope.decorator.js';
import { OPTIONAL_AUTH_METADATA } from '../decorators/optional-auth.decorator.js';
import { PUBLIC_METADATA } from '../decorators/public.decorator.js';
import { REQUIRE_AUTH_METADATA } from '../decorators/require-auth.decorator.js';
import { ROLES_METADATA } from '../decorators/roles.decorator.js';
import { SCOPES_METADATA, SCOPES_OF_METADATA, type ScopesOf, verifyScopes } from '../decorators/scopes.decorator.js';
import { USE_OAUTH_METADATA } from '../decorators/use-oauth.decorator.js';
import { USER_REQUIRED_METADATA } from '../decorators/user-required.decorator.js';

/** The options of `authenticate()` for one route, frozen: the engine makes one operation for them. */
type RouteOptions = Readonly<TokenRequirements & { scope?: string }>;

/** What a route asks of a request; no options: any good token. */
export interface AccessRequirements {
  /** Not even a token. */
  isPublic?: boolean;
  /** None will do too. */
  optional?: boolean;
  /** Is it the route of an event stream? */
  isEventStream?: boolean;
  options?: RouteOptions | undefined;
  /** The name of the server to ask; left out: the one without. */
  server?: string | undefined;
  /** What more of them hangs on the request. */
  scopeFunctions?: readonly ScopesOf[] | undefined;
  /** The options of a route whose scopes depend on the request, by scope. */
  readonly optionsByScope?: Map<string, RouteOptions | undefined>;
}

/** Where `@UseGuards()` leaves its list. */
const GUARDS_METADATA = '__guards__';

/**
 * Reads what is demanded at a route: by its method first, then by its controller, then by what that one extends. The
 * nearest counts, and a guard of its own is such a word too: what a base class opens does not open what a derived one guards.
 * @param isOAuthGuard is it the guard that asks?
 */
export function readAccessRequirements(
  handler: object,
  controller: Type,
  isOAuthGuard: (guard: unknown) => boolean,
): AccessRequirements {
  const need = readNearestDeclaration(handler, controller, isOAuthGuard);
  const server = nearest(USE_OAUTH_METADATA, handler, controller) as string | null | undefined;
  const named = typeof server === 'string' ? { server } : {};
  if (need.isPublic) return { isPublic: true, ...named };
  const userRequired = isDeclared(USER_REQUIRED_METADATA, handler, controller);
  const stepUp = nearest(REQUIRE_AUTH_METADATA, handler, controller) as StepUp | undefined;
  const roles = nearest(ROLES_METADATA, handler, controller) as readonly string[] | undefined;
  const { scopes = [], anyScope, scopeFunctions: of } = need;
  verifyScopes(scopes);
  if (anyScope) verifyScopes(anyScope, '@AnyScope()');
  return {
    ...named,
    optional: Boolean(need.optional) && !userRequired && !stepUp && !roles,
    options: routeOptions({ scope: scopes.join(' '), anyScope, userRequired, roles, stepUp }),
    ...(of && { scopeFunctions: of, optionsByScope: new Map() }),
  };
}

/** What the nearest of a method, its controller and what that one extends says of the token. */
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
 * Does a route have such a guard: of its own, or of its controller? What stands before the whole application is not looked at.
 * @param isOAuthGuard is it the guard that is looked for?
 */
export function isGuardedBy(isOAuthGuard: (guard: unknown) => boolean, handler: object, controller: Type): boolean {
  return [handler, controller].some((target) =>
    ((Reflect.getMetadata(GUARDS_METADATA, target) as unknown[] | undefined) ?? []).some(isOAuthGuard),
  );
}

/** What is said of a method, or else by its controller, or by what that one extends. */
const nearest = (key: string, handler: object, controller: Type): unknown =>
  Reflect.getMetadata(key, Reflect.hasOwnMetadata(key, handler) ? handler : controller);

const isDeclared = (key: string, ...targets: object[]) =>
  targets.some((target) => Boolean(Reflect.getMetadata(key, target)));

/** A class and all it extends, the nearest first. */
function withBases(controller: Type): object[] {
  const bases: object[] = [];
  let base: object | null = controller;
  for (; base && base !== Function.prototype; base = Object.getPrototypeOf(base) as object | null) bases.push(base);
  return bases;
}

/** The guards that this very class or method was given: Nest keeps those of a base class before them. */
function ownGuards(target: object): unknown[] {
  const base = Object.getPrototypeOf(target) as object;
  const guards: unknown[] = Reflect.getOwnMetadata(GUARDS_METADATA, target) ?? [];
  const inherited: unknown[] = Reflect.getMetadata(GUARDS_METADATA, base) ?? [];
  return guards.slice(inherited.length);
}

/** Maximum number of scopes of one route whose options are stored: clients can cause any combination of the scopes of functions. */
const MAX_STORED_OPTIONS = 1000;

/**
 * Returns the options of `authenticate()` for one request to a route: the route's own requirements and the scopes that its functions
 * return. The token is not verified yet, so the work is bounded by the number of scopes and not by the size of the request.
 */
export function authenticateOptionsFor(
  { options, scopeFunctions: of, optionsByScope: known }: AccessRequirements,
  request: Parameters<ScopesOf>[0],
): AuthenticateOptions | undefined {
  if (!of || !known) return options;
  const more = new Set<string>();
  for (const scopes of of) for (const scope of scopes(request)) more.add(scope);
  // Sorted, because options are stored by their scope.
  const values = [...new Set([...(options?.scope?.split(' ') ?? []), ...[...more].toSorted()])];
  verifyScopes(values);
  const scope = values.join(' ');
  if (known.has(scope)) return known.get(scope);
  if (known.size >= MAX_STORED_OPTIONS) known.clear();
  const found = routeOptions({ ...options, scope });
  known.set(scope, found);
  return found;
}

/** Freezes the requirements of a route, lists included, and leaves out those that are not set. */
function routeOptions({
  scope,
  anyScope,
  userRequired,
  roles,
  stepUp,
}: { [K in keyof RouteOptions]: RouteOptions[K] | undefined }) {
  const options: RouteOptions = {
    ...(scope && { scope }),
    ...(anyScope && { anyScope: Object.freeze([...anyScope]) }),
    ...(userRequired && { userRequired }),
    ...(roles && { roles: Object.freeze([...roles]) }),
    ...(stepUp && { stepUp: Object.freeze({ ...stepUp, ...(stepUp.acr && { acr: Object.freeze([...stepUp.acr]) }) }) }),
  };
  return Object.keys(options).length > 0 ? Object.freeze(options) : undefined;
}
