import { Logger, type Type } from '@nestjs/common';
import { type ApplicationConfig, MetadataScanner, type ModulesContainer } from '@nestjs/core';

import { allFeatures, assertConfig } from '../../lib/internal.js';
import { resourcesOf } from '../http/mounted-resources.js';
import { hasRequiredUserParameter } from '../decorators/user-parameters.js';
import { ACCEPT_SESSION_METADATA } from '../decorators/accept-session.decorator.js';
import { registrationsOf } from '../module/registered-servers.js';
import type { OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { ANY_SCOPE_METADATA } from '../decorators/any-scope.decorator.js';
import { SCOPES_METADATA } from '../decorators/scopes.decorator.js';
import { readAccessRequirements } from './access-requirements.js';
import { verifyDefinedScopes } from './verify-scopes.js';
import { publicRouteError } from './missing-user.js';
import { isOAuthGuard, type OAuthGuard } from './oauth.guard.js';
import { NO_SESSIONS } from './session-access.js';
import { findUserReader } from './user-readers.js';

/** The metadata key of `@UseGuards()`. */
const GUARDS_METADATA = '__guards__';
/** The metadata key of `@Get()` and the other method decorators. */
const METHOD_METADATA = 'method';

const verified = new WeakSet<ModulesContainer>();

type Module = ModulesContainer extends Map<string, infer M> ? M : never;

/**
 * Verifies once per application that no public route requires a user, that routes with `@AcceptSession()` have
 * sessions, that each guarded route has a server, and the scopes of routes against those of `defineScopes()`.
 * @throws {InvalidArgumentError} If a public route has a `@CurrentUser()` that is not optional, if a route accepts
 * sessions and the server has none, or if a route names an unknown server, or none although there is no default server.
 */
export function verifyRoutes(config: ApplicationConfig, modules: ModulesContainer): void {
  if (verified.has(modules)) return;
  verified.add(modules);
  const registrations = registrationsOf(modules);
  const names = registrations.map(({ name }) => name);
  const endpoints = mcpEndpoints(registrations);
  const scanner = new MetadataScanner();
  const problems = new Set<string | undefined>();
  const ofAll = config.getGlobalGuards().filter(isOAuthGuard) as unknown as OAuthGuard[];
  const hasGlobal = config.getGlobalGuards().length > 0 || config.getGlobalRequestGuards().length > 0;
  for (const module of modules.values()) {
    for (const { metatype } of [...module.controllers.values(), ...module.providers.values()]) {
      if (typeof metatype !== 'function' || !metatype.prototype) continue;
      const prototype = metatype.prototype as Record<string, object>;
      for (const method of scanner.getAllMethodNames(prototype)) {
        const route = { controller: metatype as Type, handler: prototype[method]!, method };
        const findGuards = () => guardsOf(module, route, ofAll);
        verifyUser(route);
        verifySession(route, findGuards);
        verifyScopes(route, registrations);
        if (!hasGlobal) warnIfUnguarded(route, endpoints);
        problems.add(findReader(route, config.getGlobalGuards()));
        verifyServer(route, findGuards, names);
      }
    }
  }
  for (const problem of problems) if (problem !== undefined) logger.warn(problem);
}

const logger = new Logger('OAuth2');

/** Returns what is wrong if a guard or the handler of a route reads a user that the request does not have. */
function findReader({ controller, handler, method }: Route, ofAll: readonly unknown[]): string | undefined {
  if (!Reflect.hasMetadata(METHOD_METADATA, handler)) return undefined;
  if (readAccessRequirements(handler, controller, isOAuthGuard).isPublic) return undefined;
  const guards = [...ofAll, ...declaredGuards(controller, handler)];
  return findUserReader({ name: `${controller.name}.${method}()`, handler, guards });
}

/** Returns the guards of `@UseGuards()`, in the order in which Nest calls them. */
const declaredGuards = (controller: object, handler: object): unknown[] =>
  [controller, handler].flatMap((one): unknown[] => Reflect.getMetadata(GUARDS_METADATA, one) ?? []);

interface Route {
  readonly controller: Type;
  readonly handler: object;
  readonly method: string;
}

/**
 * Returns the `OAuthGuard` instances that guard a method: its own, those of its controller, and global ones.
 * Request-scoped guards have no instance yet and are skipped.
 */
function guardsOf(module: Module, { controller, handler }: Route, ofAll: readonly OAuthGuard[]): OAuthGuard[] {
  const declared = declaredGuards(controller, handler).filter(isOAuthGuard);
  const own = declared.map((guard) => {
    if (typeof guard !== 'function') return guard as OAuthGuard;
    const wrapper = module.injectables.get(guard as Type);
    return wrapper?.isDependencyTreeStatic() ? (wrapper.instance as OAuthGuard) : undefined;
  });
  const global = Reflect.hasMetadata(METHOD_METADATA, handler) ? ofAll : [];
  // Skip mocks that a test has put in place of a guard.
  return [...own.filter((guard) => guard !== undefined), ...global].filter(isOAuthGuard);
}

/** Verifies that a route with a `@CurrentUser()` that is not optional is not public. */
function verifyUser({ controller, handler, method }: Route): void {
  if (!hasRequiredUserParameter(handler, controller)) return;
  const { isPublic } = readAccessRequirements(handler, controller, isOAuthGuard);
  assertConfig(!isPublic, publicRouteError(`${controller.name}.${method}()`));
}

/** Verifies that the default server has login sessions, if a route accepts them. Named servers are verified later. */
function verifySession({ controller, handler }: Route, findGuards: () => readonly OAuthGuard[]): void {
  if (
    !Reflect.hasMetadata(ACCEPT_SESSION_METADATA, handler) &&
    !Reflect.hasMetadata(ACCEPT_SESSION_METADATA, controller)
  )
    return;
  const { acceptSession, server } = readAccessRequirements(handler, controller, isOAuthGuard);
  if (acceptSession && server === undefined)
    assertConfig(
      findGuards().every((one) => !one.lacksSessions),
      NO_SESSIONS,
    );
}

/** Verifies the scopes of `@Scopes()` and `@AnyScope()` of a method and its controller. */
function verifyScopes({ controller, handler, method }: Route, registrations: readonly OAuth2Registration[]): void {
  const metadata = [handler, controller].flatMap((one) => Reflect.getMetadataKeys(one) as unknown[]);
  if (!metadata.includes(SCOPES_METADATA) && !metadata.includes(ANY_SCOPE_METADATA)) return;
  const requirements = readAccessRequirements(handler, controller, isOAuthGuard);
  const registration = registrations.find(({ name }) => name === requirements.server);
  verifyDefinedScopes(`${controller.name}.${method}()`, requirements, registration);
}

/** Returns the path of each endpoint of `mcp()`, without a slash at the beginning. */
const mcpEndpoints = (registrations: readonly OAuth2Registration[]): readonly string[] =>
  registrations
    .filter(({ features }) => allFeatures(features).some(({ id }) => id === 'mcp'))
    .flatMap((one) => resourcesOf(one).map((resource) => trimmed(new URL(resource, 'http://x').pathname)));

const trimmed = (path: string) => path.replaceAll(/^\/+|\/+$/g, '');

/** Logs a warning if a route requires scopes or is an endpoint of `mcp()`, and no guard of any kind protects it. */
function warnIfUnguarded({ controller, handler, method }: Route, endpoints: readonly string[]): void {
  const places = [handler, controller];
  if (!Reflect.hasMetadata(METHOD_METADATA, handler)) return;
  const isScoped = places.some((one) => SCOPE_METADATA.some((key) => Reflect.hasMetadata(key, one)));
  if (!isScoped && !isEndpoint([controller, handler], endpoints)) return;
  if (places.some((one) => Reflect.hasMetadata(GUARDS_METADATA, one))) return;
  logger.warn(
    `Everybody can call ${controller.name}.${method}(): no guard protects it. Add \`@UseGuards(OAuthGuard)\` to the ` +
      'route or its controller, or provide `OAuthGuard` as `APP_GUARD`.',
  );
}

/** Whether the paths of a controller and a route are those of an endpoint, which may be below a global prefix. */
function isEndpoint(places: readonly object[], endpoints: readonly string[]): boolean {
  if (endpoints.length === 0) return false;
  const path = trimmed(places.map((one) => trimmed(String(Reflect.getMetadata('path', one) ?? ''))).join('/'));
  return path !== '' && endpoints.some((one) => `/${one}`.endsWith(`/${path}`));
}

const SCOPE_METADATA = [SCOPES_METADATA, ANY_SCOPE_METADATA];

function verifyServer(
  { controller, handler, method }: Route,
  findGuards: () => readonly OAuthGuard[],
  names: readonly (string | undefined)[],
): void {
  const { isPublic: nothing, server } = readAccessRequirements(handler, controller, isOAuthGuard);
  const route = `${controller.name}.${method}()`;
  const there = names.filter((name) => name !== undefined).map((name) => `\`${name}\``);
  if (server !== undefined) {
    const others = there.map((name) => `, or use ${name}`).join('');
    assertConfig(
      names.includes(server),
      `@UseOAuth('${server}') of ${route} names an unknown server: register it with this \`name\`${others}`,
    );
  } else if (!nothing) {
    const remedy = `select a server with @UseOAuth(): ${there.join(' or ')}`;
    const canAsk = findGuards().every((guard) => guard.hasDefaultServer);
    assertConfig(canAsk, `OAuthGuard of ${route} finds no default server: ${remedy}`);
  }
}
