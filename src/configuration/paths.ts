import { allFeatures, assertConfig, comparablePath, isDocument, type OptionCheck } from '../../lib/internal.js';
import type { FeatureList } from '../../lib/index.js';
import type { Endpoint } from '../http/endpoint.js';
import type { OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { isObject } from './is-object.js';

/** A path of literal segments and `:parameters`. */
const PATH = /^\/?(?:[\w.~%-]+|:\w+)(?:\/(?:[\w.~%-]+|:\w+))*$/;

/**
 * Validates the option `paths`. Each name must be `prefix` or an endpoint whose path can be changed, and each value a
 * path.
 */
export const PATHS: OptionCheck = (value, option, { features }) => {
  if (!isObject(value)) return `the option \`${option}\` must be an object such as \`{ token: 'oauth/token' }\``;
  const endpoints = resolveEndpoints({ features: features as FeatureList });
  const movable = endpoints.filter((one) => !isDocument(one)).map(({ name }) => name);
  for (const [name, path] of Object.entries(value)) {
    if (name !== 'prefix' && !movable.includes(name)) {
      const isFixed = endpoints.some((one) => one.name === name);
      if (isFixed) return `remove \`${option}.${name}\`: the path of a well-known document is fixed`;
      return `unknown endpoint \`${option}.${name}\`: the known ones are ${listed(movable)}`;
    }
    if (path !== undefined && !(typeof path === 'string' && PATH.test(path))) {
      const example = name === 'prefix' ? 'oauth' : `oauth/${name}`;
      return `the option \`${option}.${name}\` must be a path without a query, such as '${example}'`;
    }
  }
  return undefined;
};

/** Returns an error message if two endpoints have the same path, because requests would never reach the second one. */
export function findDuplicatePath(registration: OAuth2Registration): string | undefined {
  const names = new Map<string, string>();
  for (const { name, path } of resolveEndpoints(registration)) {
    const other = names.get(path);
    if (other !== undefined) {
      return `the endpoints \`${other}\` and \`${name}\` have the same path \`${path}\`: change one of them with \`paths\``;
    }
    names.set(path, name);
  }
  return undefined;
}

/**
 * Returns an error message if a named server has an endpoint without a path of its own. The default paths belong to the
 * default server.
 */
export function findMissingPath({ name, paths = {}, features, controllers }: OAuth2Registration): string | undefined {
  if (name === undefined || controllers === false || paths.prefix !== undefined) return undefined;
  const unplaced = resolveEndpoints({ features }).find((one) => !isDocument(one) && paths[one.name] === undefined);
  const example = `\`paths: { prefix: '${name}' }\``;
  return unplaced && `the server \`${name}\` requires its own \`paths\`, such as ${example}, or \`controllers: false\``;
}

const listed = (names: readonly string[]) =>
  `${names
    .slice(0, -1)
    .map((name) => `\`${name}\``)
    .join(', ')} and \`${names.at(-1)}\``;

/**
 * Returns the endpoints of all features. Their paths are those of the option `paths`, without the global prefix of the
 * application.
 */
export function resolveEndpoints({ features, paths = {} }: OAuth2Registration): readonly Endpoint[] {
  const { prefix } = paths;
  // Two features may share one endpoint.
  const endpoints = new Map(allFeatures(features).flatMap((feature) => Object.entries(feature.endpoints ?? {})));
  return [...endpoints].map(([name, { path, methods, cors, metadata, perIssuer, content, resource }]) => {
    const route = isDocument({ path }) ? path : relative(paths[name] ?? under(prefix, relative(path)));
    return { name, path: route, methods, cors, metadata, perIssuer, content, resource };
  });
}

const under = (prefix: string | undefined, path: string) =>
  prefix === undefined ? path : `${relative(prefix)}/${path.replace(/^oauth\//, '')}`;

const claimed = new WeakMap<object, Map<string, string | undefined>>();

/**
 * Verifies that no two imports of `OAuth2Module` in an application register the same route, because requests would
 * never reach the second one.
 * @throws {InvalidArgumentError} If a route is already registered.
 */
export function claimRoutes(application: object, name: string | undefined, routes: readonly string[]): void {
  const taken = claimed.get(application) ?? new Map<string, string | undefined>();
  claimed.set(application, taken);
  for (const route of routes) {
    const remedy = route.startsWith('/.well-known/')
      ? 'give each an `issuer` with a different path, or remove the feature from one of them'
      : 'give one of them different `paths`, or set `controllers: false`';
    const path = comparablePath(route);
    assertConfig(
      !taken.has(path),
      `${describeServers(name, taken.get(path))} have the same path \`${route}\`: ${remedy}`,
    );
    taken.set(path, name);
  }
}

/** Returns a description of two servers of an application, for error messages. */
export function describeServers(one: string | undefined, other: string | undefined): string {
  if (one === other) return 'two imports of OAuth2Module';
  if (one === undefined || other === undefined) return `the server \`${one ?? other}\` and the default server`;
  return `the servers \`${other}\` and \`${one}\``;
}

/**
 * Verifies that the metadata document can contain the URL of each endpoint: an endpoint whose path has a parameter has
 * no single URL.
 * @throws {InvalidArgumentError} If a path in the metadata has a parameter.
 */
export function verifyMetadataUrls(endpoints: readonly Endpoint[], paths: Readonly<Record<string, string>>): void {
  const document = endpoints.find(({ perIssuer }) => perIssuer);
  const unnamed = endpoints.find(({ name, metadata }) => metadata !== undefined && paths[name]!.includes('/:'));
  const path = unnamed && paths[unnamed.name];
  const remedy = 'remove the parameter from the path, or remove the feature from `features`';
  assertConfig(
    !document || !unnamed,
    `\`${document?.name}\` must publish one URL, but the path \`${path}\` has a parameter: ${remedy}`,
  );
}

const relative = (path: string) => path.replace(/^\//, '');
