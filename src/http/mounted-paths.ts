import { RequestMethod, type Type } from '@nestjs/common';
import type { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { isDocument } from '../../lib/adapter/index.js';
import type { Endpoint } from './endpoint.js';

/** Where `RouterModule` leaves the path of a module. */
const MODULE_PATH = '__module_path__';

/** What an application puts before the routes of its modules. */
export interface Application {
  readonly config: ApplicationConfig;
  readonly modules: ModulesContainer;
}

/** The whole paths of the endpoints, by id: with the global prefix, save for what it excludes, and the path of the module. */
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

function pathOfModule(module: Type, { applicationId }: ModulesContainer): string {
  const path: unknown =
    Reflect.getMetadata(MODULE_PATH + applicationId, module) ?? Reflect.getMetadata(MODULE_PATH, module);
  return rooted(path);
}

/** The routes take every method, so only what excludes every method excludes them. */
function isExcluded(path: string, config: ApplicationConfig): boolean {
  const { exclude = [] } = config.getGlobalPrefixOptions();
  return exclude.some(({ requestMethod, pathRegex }) => requestMethod === RequestMethod.ALL && pathRegex.test(path));
}

/** With a slash before and none behind; nothing where there is none. */
function rooted(path: unknown): string {
  const bare = typeof path === 'string' ? path.replaceAll(/^\/+|\/+$/g, '') : '';
  return bare && `/${bare}`;
}
