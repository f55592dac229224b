import { allFeatures, assertConfig, comparablePath, isDocument, type OptionCheck } from '../../lib/adapter/index.js';
import type { FeatureList } from '../../lib/index.js';
import type { Endpoint } from '../http/endpoint.js';
import type { OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { isObject } from './is-object.js';

/** A path of literal segments and `:parameters`. */
const PATH = /^\/?(?:[\w.~%-]+|:\w+)(?:\/(?:[\w.~%-]+|:\w+))*$/;

/** Where the endpoints are: each known, each at a path, and no two at the same. */
export const PATHS: OptionCheck = (value, option, { features }) => {
  if (!isObject(value)) return `the option \`${option}\` must be an object such as \`{ token: 'oauth/token' }\``;
  const endpoints = resolveEndpoints({ features: features as FeatureList });
  const movable = endpoints.filter((one) => !isDocument(one)).map(({ name }) => name);
  for (const [name, path] of Object.entries(value)) {
    if (name !== 'prefix' && !movable.includes(name)) {
      const isFixed = endpoints.some((one) => one.name === name);
      if (isFixed) return `leave \`${option}.${name}\` out: it is a well-known document, whose path is fixed`;
      return `unknown path \`${option}.${name}\`: there are ${listed(movable)}`;
    }
    if (path !== undefined && !(typeof path === 'string' && PATH.test(path))) {
      const example = name === 'prefix' ? 'oauth' : `oauth/${name}`;
      return `the option \`${option}.${name}\` must be a path such as '${example}', without a query`;
    }
  }
  return undefined;
};

/** Two endpoints at one path: the second would never be asked. */
export function findDuplicatePath(registration: OAuth2Registration): string | undefined {
  const names = new Map<string, string>();
  for (const { name, path } of resolveEndpoints(registration)) {
    const other = names.get(path);
    if (other !== undefined) {
      return `the endpoints \`${other}\` and \`${name}\` have one path, \`${path}\`: give one of them another by \`paths\``;
    }
    names.set(path, name);
  }
  return undefined;
}

/** The usual paths are those of the server without a name. */
export function findMissingPath({ name, paths = {}, features, controllers }: OAuth2Registration): string | undefined {
  if (name === undefined || controllers === false || paths.prefix !== undefined) return undefined;
  const unplaced = resolveEndpoints({ features }).find((one) => !isDocument(one) && paths[one.name] === undefined);
  const example = `\`paths: { prefix: '${name}' }\``;
  return unplaced && `the server \`${name}\` needs \`paths\` of its own, as ${example}, or \`controllers: false\``;
}

const listed = (names: readonly string[]) =>
  `${names
    .slice(0, -1)
    .map((name) => `\`${name}\``)
    .join(', ')} and \`${names.at(-1)}\``;

/** The endpoints of all features, each at its route. */
export function resolveEndpoints({ features, paths = {} }: OAuth2Registration): readonly Endpoint[] {
  const { prefix } = paths;
  return allFeatures(features).flatMap((feature) =>
    Object.entries(feature.endpoints ?? {}).map(([name, { path, methods, cors, metadata, perIssuer, content }]) => {
      const route = isDocument({ path }) ? path : relative(paths[name] ?? under(prefix, relative(path)));
      return { name, path: route, methods, cors, metadata, perIssuer, content };
    }),
  );
}

const under = (prefix: string | undefined, path: string) =>
  prefix === undefined ? path : `${relative(prefix)}/${path.replace(/^oauth\//, '')}`;

const claimed = new WeakMap<object, Map<string, string | undefined>>();

/** Checks that no two imports of the module want one route of an application: one of them would never be asked. */
export function claimRoutes(application: object, name: string | undefined, routes: readonly string[]): void {
  const taken = claimed.get(application) ?? new Map<string, string | undefined>();
  claimed.set(application, taken);
  for (const route of routes) {
    const remedy = route.startsWith('/.well-known/')
      ? 'give each an `issuer` of its own path, or leave the feature out of one'
      : 'give one of them other `paths`, or `controllers: false`';
    const path = comparablePath(route);
    assertConfig(!taken.has(path), `${describeServers(name, taken.get(path))} have the path \`${route}\`: ${remedy}`);
    taken.set(path, name);
  }
}

/** Two servers of an application, as sentences name them. */
export function describeServers(one: string | undefined, other: string | undefined): string {
  if (one === other) return 'two imports of OAuth2Module';
  if (one === undefined || other === undefined) return `the server \`${one ?? other}\` and the one without a name`;
  return `the servers \`${other}\` and \`${one}\``;
}

/** Checks that the metadata of the server can name its endpoints: of a path with a parameter there is no one URL. */
export function verifyMetadataUrls(endpoints: readonly Endpoint[], paths: Readonly<Record<string, string>>): void {
  const document = endpoints.find(({ perIssuer }) => perIssuer);
  const unnamed = endpoints.find(({ name, metadata }) => metadata !== undefined && paths[name]!.includes('/:'));
  const path = unnamed && paths[unnamed.name];
  const remedy = 'take the parameter out of the path, or the feature out of `features`';
  assertConfig(
    !document || !unnamed,
    `\`${document?.name}\` must name one URL, and \`${path}\` has a parameter: ${remedy}`,
  );
}

const relative = (path: string) => path.replace(/^\//, '');
