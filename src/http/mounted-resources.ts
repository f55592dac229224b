import { Logger, RequestMethod, type Type, VERSION_NEUTRAL, VersioningType } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';

import { allFeatures, isRoutePath } from '../../lib/internal.js';
import { resolveEndpoints } from '../configuration/paths.js';
import type { OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import type { Endpoint } from './endpoint.js';
import { type Application, isExcluded, mountedPaths, pathOfModule, rooted } from './mounted-paths.js';

/** Metadata keys of Nest. */
const PATH = 'path';
const METHOD = 'method';
const VERSION = '__version__';

/** A route of a controller. */
interface Route {
  /** The path without the global prefix and the version. */
  readonly path: string;
  /** The complete paths, one for each version. */
  readonly complete: readonly string[];
  readonly method: RequestMethod;
}

/**
 * Returns all complete paths of protected resources that are route paths, such as `mcp`: with the global prefix and the
 * versions of the controller that serves the route. A route path without a controller is at the root, because the
 * application registers it on the platform, where no prefix applies.
 */
function findPlaces(resources: readonly string[], application: Application): ReadonlyMap<string, readonly string[]> {
  const declared = resources.filter(isRoutePath);
  const routes = declared.length === 0 ? [] : routesOf(application);
  return new Map(
    declared.map((one) => {
      const places = placesOf(one, routes);
      return [one, places.length > 0 ? places : [`/${one}`]];
    }),
  );
}

/** The endpoints of a server, and the complete paths at which the application serves them and the resources. */
export interface MountedServer {
  readonly endpoints: readonly Endpoint[];
  readonly paths: Record<string, string>;
  readonly resources: Record<string, string>;
  /** All complete paths of each resource. The first one is the resource. */
  readonly places: ReadonlyMap<string, readonly string[]>;
}

/** Returns the endpoints of a server with their complete paths in the application. */
export function mountServer(registration: OAuth2Registration, module: Type, application: Application): MountedServer {
  const places = findPlaces(resourcesOf(registration), application);
  const resources = Object.fromEntries([...places].map(([one, [first]]) => [one, first!]));
  const endpoints = resolveEndpoints(registration).map((one) => followResource(one, resources));
  return { endpoints, paths: mountedPaths(endpoints, module, application), resources, places };
}

/** Returns the protected resources that the features of a server declare. */
export const resourcesOf = ({ features }: OAuth2Registration): readonly string[] =>
  allFeatures(features).flatMap(({ resources = [] }) => resources);

/** Logs a warning for each route path that the application serves at several paths: only the first is the resource. */
export function warnOfSeveralPaths(places: MountedServer['places']): void {
  for (const [one, paths] of places) {
    if (paths.length < 2) continue;
    const list = paths.map((path) => `'${path}'`).join(', ');
    new Logger('OAuth2').warn(
      `Only ${paths[0]} is the protected resource \`${one}\`, and the route is at ${paths.join(' and ')}: list them, ` +
        `as in \`mcp({ resource: [${list}] })\`.`,
    );
  }
}

/** Returns the endpoint with the path of its document, which ends with the path of a protected resource. RFC 9728 §3.1 */
function followResource(endpoint: Endpoint, mounted: Readonly<Record<string, string>>): Endpoint {
  const { resource, path } = endpoint;
  const place = resource === undefined ? undefined : mounted[resource];
  return place === undefined ? endpoint : { ...endpoint, path: path.slice(0, -`/${resource}`.length) + place };
}

/** Returns the complete paths at which routes serve a route path. Without such a route, those above routes below it. */
function placesOf(resource: string, all: readonly Route[]): readonly string[] {
  const posted = all.filter(({ method }) => method === RequestMethod.POST || method === RequestMethod.ALL);
  const own = comparable(`/${resource}`);
  for (const routes of [posted, all]) {
    const exact = routes.filter(({ path }) => comparable(path) === own).flatMap(({ complete }) => complete);
    if (exact.length > 0) return [...new Set(exact)];
  }
  const below = all.filter(({ path }) => comparable(path).startsWith(`${own}/`));
  return [
    ...new Set(
      below.flatMap(({ path, complete }) => {
        const rest = path.split('/').length - own.split('/').length;
        return complete.map((one) => one.split('/').slice(0, -rest).join('/'));
      }),
    ),
  ];
}

/** Returns a path whose parameters have no names, because the route may name them differently. */
const comparable = (path: string) => path.toLowerCase().replaceAll(/\/:[^/]*/g, '/:');

/** Returns the routes of all controllers. The controllers of this library serve no resources. */
function routesOf(application: Application): readonly Route[] {
  const scanner = new MetadataScanner();
  const routes: Route[] = [];
  for (const { metatype: module, controllers } of application.modules.values()) {
    for (const { metatype } of controllers.values()) {
      if (typeof metatype !== 'function' || !metatype.prototype) continue;
      const prototype = metatype.prototype as Record<string, object>;
      const before = pathOfModule(module, application.modules);
      for (const name of scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name]!;
        const method = Reflect.getMetadata(METHOD, handler) as RequestMethod | undefined;
        if (method === undefined) continue;
        for (const base of pathsOf(metatype))
          for (const last of pathsOf(handler)) {
            const path = before + base + last;
            routes.push({
              path,
              method,
              complete: completePaths(path, method, [handler, metatype], application),
            });
          }
      }
    }
  }
  return routes;
}

const pathsOf = (target: object) => [Reflect.getMetadata(PATH, target) as unknown].flat().map(rooted);

/** Returns a path with the global prefix and each version. Nest writes the version after the prefix. */
function completePaths(
  path: string,
  method: RequestMethod,
  targets: readonly object[],
  { config }: Application,
): readonly string[] {
  const prefix = isExcluded(path, config, method) ? '' : rooted(config.getGlobalPrefix());
  const versioning = config.getVersioning();
  if (versioning?.type !== VersioningType.URI) return [prefix + path];
  const set = targets.map((one) => Reflect.getMetadata(VERSION, one) as unknown).find(Boolean);
  const versions = [set ?? versioning.defaultVersion ?? VERSION_NEUTRAL].flat();
  const before = versioning.prefix === false ? '' : (versioning.prefix ?? 'v');
  return versions.map((one) => prefix + (one === VERSION_NEUTRAL ? '' : `/${before}${String(one)}`) + path);
}
