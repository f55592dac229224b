import { RequestMethod, type Type } from '@nestjs/common';
import type { ApplicationConfig, ModulesContainer } from '@nestjs/core';

import { isDocument } from '../../lib/internal.js';
import type { Endpoint } from './endpoint.js';

/** The metadata key in which `RouterModule` stores the path of a module. */
const MODULE_PATH = '__module_path__';

/** The parts of an application that determine the paths of its routes. */
export interface Application {
  readonly config: ApplicationConfig;
  readonly modules: ModulesContainer;
}

/**
 * Returns the complete paths of the endpoints by id, with the global prefix and the path of the module. The prefix is
 * left out for excluded routes.
 */
export function mountedPaths(
  endpoints: readonly Endpoint[],
  module: Type,
  { config, modules }: Application,
): Record<string, string> {
  const before = pathOfModule(module, modules);
  const prefix = rooted(config.getGlobalPrefix());
  const paths = endpoints.map((endpoint) => {
    if (isDocument(endpoint)) return [endpoint.name, endpoint.path];
    const path = before + rooted(endpoint.path);
    return [endpoint.name, isExcluded(path, config) ? path : prefix + path];
  });
  return Object.fromEntries(paths) as Record<string, string>;
}

/** Returns the path that `RouterModule` puts before the routes of a module. */
export function pathOfModule(module: Type, { applicationId }: ModulesContainer): string {
  const path: unknown =
    Reflect.getMetadata(MODULE_PATH + applicationId, module) ?? Reflect.getMetadata(MODULE_PATH, module);
  return rooted(path);
}

/**
 * Whether a path is excluded from the global prefix. For a route that handles every method, only an exclusion of every
 * method counts.
 */
export function isExcluded(path: string, config: ApplicationConfig, method = RequestMethod.ALL): boolean {
  const { exclude = [] } = config.getGlobalPrefixOptions();
  return exclude.some(
    ({ requestMethod, pathRegex }) =>
      (requestMethod === RequestMethod.ALL || requestMethod === method) && pathRegex.test(path),
  );
}

/** Returns a path with a leading slash and no trailing one, or an empty text if there is no path. */
export function rooted(path: unknown): string {
  const bare = typeof path === 'string' ? path.replaceAll(/^\/+|\/+$/g, '') : '';
  return bare && `/${bare}`;
}
