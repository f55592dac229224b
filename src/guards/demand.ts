import type { Type } from '@nestjs/common';
import type { UserAuthentication } from '../../lib/endpoints/resource/user-authentication.js';
import { ANY_SCOPE_METADATA } from '../decorators/any-scope.decorator.js';
import { OPTIONAL_AUTH_METADATA } from '../decorators/optional-auth.decorator.js';
import { PUBLIC_METADATA } from '../decorators/public.decorator.js';
import { REQUIRE_AUTH_METADATA } from '../decorators/require-auth.decorator.js';
import { ROLES_METADATA } from '../decorators/roles.decorator.js';
import { SCOPES_METADATA, SCOPES_OF_METADATA, type ScopesOf, verifyScopes } from '../decorators/scopes.decorator.js';
import { USE_OAUTH_METADATA } from '../decorators/use-oauth.decorator.js';
import { USER_REQUIRED_METADATA } from '../decorators/user-required.decorator.js';

/** What a route asks of a request; no options: any good token. */
export interface Demand {
  /** Not even a token. */
  nothing?: boolean;
  /** One of these roles of the user. */
  roles?: readonly string[];
  /** A token that a user stands behind. */
  user?: boolean;
  /** One whose user has signed in so well, and so recently. */
  auth?: UserAuthentication | undefined;
  /** None will do too. */
  optional?: boolean;
  /** One of these. */
  any?: readonly string[];
  /** Is it the route of an event stream? */
  stream?: boolean;
  options?: Readonly<{ scope: string }>;
  /** The name of the server to ask; left out: the one without. */
  server?: string | undefined;
  /** What more of them hangs on the request. */
  of?: readonly ScopesOf[];
}

/** Where `@UseGuards()` leaves its list. */
const GUARDS_METADATA = '__guards__';

/**
 * Reads what is demanded at a route: by its method first, then by its controller, then by what that one extends. The
 * nearest counts, and a guard of its own is such a word too: what a base class opens does not open what a derived one guards.
 * @param isOurs is it the guard that asks?
 */
export function readDemand(handler: object, controller: Type, isOurs: (guard: unknown) => boolean): Demand {
  const need = readNeed(handler, controller, isOurs);
  const auth = nearest(REQUIRE_AUTH_METADATA, handler, controller) as UserAuthentication | undefined;
  const roles = nearest(ROLES_METADATA, handler, controller) as readonly string[] | undefined;
  const more = { ...(auth && { auth }), ...(roles && { roles }) };
  const demand = (auth ?? roles) && !need.nothing ? { ...need, ...more, optional: false } : need;
  const server = nearest(USE_OAUTH_METADATA, handler, controller) as string | null | undefined;
  return typeof server === 'string' ? { ...demand, server } : demand;
}

function readNeed(handler: object, controller: Type, isOurs: (guard: unknown) => boolean): Demand {
  const user = saysAnywhere(USER_REQUIRED_METADATA, handler, controller);
  let isGuarded = false;
  for (const target of [handler, ...withBases(controller)]) {
    const own = (key: string): unknown => Reflect.getOwnMetadata(key, target);
    const scopes = own(SCOPES_METADATA) as string[] | undefined;
    const any = own(ANY_SCOPE_METADATA) as string[] | undefined;
    const isOptional = Boolean(own(OPTIONAL_AUTH_METADATA));
    if (scopes || any || isOptional) {
      const of = own(SCOPES_OF_METADATA) as ScopesOf[] | undefined;
      return { user, optional: isOptional && !user, any: checked(any), options: optionsOf(scopes), of };
    }
    isGuarded ||= Boolean(own(USER_REQUIRED_METADATA) ?? own(REQUIRE_AUTH_METADATA) ?? own(ROLES_METADATA));
    const isPublic = own(PUBLIC_METADATA);
    if (isPublic && !isGuarded) return { nothing: true };
    isGuarded ||= isPublic === false || ownGuards(target).some(isOurs);
  }
  return { user };
}

/**
 * Does a route have such a guard: of its own, or of its controller? What stands before the whole application is not looked at.
 * @param isOurs is it the guard that is looked for?
 */
export function isGuardedBy(isOurs: (guard: unknown) => boolean, handler: object, controller: Type): boolean {
  return [handler, controller].some((target) =>
    ((Reflect.getMetadata(GUARDS_METADATA, target) as unknown[] | undefined) ?? []).some(isOurs),
  );
}

/** What is said of a method, or else by its controller, or by what that one extends. */
const nearest = (key: string, handler: object, controller: Type): unknown =>
  Reflect.getMetadata(key, Reflect.hasOwnMetadata(key, handler) ? handler : controller);

const saysAnywhere = (key: string, ...targets: object[]) =>
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

/** Checked again: a host may have set the metadata by itself. */
function checked(any: readonly string[] | undefined): readonly string[] | undefined {
  if (any) verifyScopes(any, '@AnyScope()');
  return any;
}

/**
 * Returns the options of `authenticate()` for one request to a route: the route's own scopes and the scopes that its functions return.
 * The token is not verified yet, so the work is bounded by the number of scopes and not by the size of the request.
 */
export function optionsFor({ options, of }: Demand, request: Parameters<ScopesOf>[0]): Demand['options'] {
  if (!of) return options;
  const more = new Set<string>();
  for (const scopes of of) for (const scope of scopes(request)) more.add(scope);
  // Sorted, because operations are cached by their scope.
  const values = [...(options?.scope.split(' ') ?? []), ...[...more].toSorted()];
  return optionsOf([...new Set(values)]);
}

function optionsOf(scopes: readonly string[] = []): Demand['options'] {
  verifyScopes(scopes);
  return scopes.length > 0 ? Object.freeze({ scope: scopes.join(' ') }) : undefined;
}
