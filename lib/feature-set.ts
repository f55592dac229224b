import type { ClientAuthentication } from './clients/client-authentication.js';
import { InvalidArgumentError } from './errors.js';
import type { Endpoint, Feature, Hook, ServerFacts, With } from './feature.js';
import type { GrantTypeClass } from './grants/grant-type-class.js';
import type { Request } from './http/request.js';
import { comparablePath, requestPath } from './http/request-path.js';
import type { Options } from './options/settle.js';
import type { ResponseTypeClass } from './response-types/response-type.js';
import { requireMethods } from './model/require-methods.js';

/** Features as a host lists them: a profile is a list of its own. */
export type FeatureList = readonly (Feature | readonly Feature[])[];

/**
 * The features of a list, each once: of one that the host lists and a profile brings too, the host's own counts.
 * @throws InvalidArgumentError when one is given twice
 */
export function flatten(list: FeatureList): readonly Feature[] {
  const features = new Map<string, Feature>();
  const own = list.filter((one): one is Feature => !Array.isArray(one));
  for (const feature of own) {
    if (typeof feature?.name !== 'string') throw new InvalidArgumentError('Invalid argument: a feature has a `name`');
    if (features.has(feature.name)) throw twice('the feature', feature.name);
    features.set(feature.name, feature);
  }
  for (const feature of list.filter((one): one is readonly Feature[] => Array.isArray(one)).flat()) {
    features.set(feature.name, { ...feature, ...features.get(feature.name) });
  }
  return [...features.values()];
}

const HOOKS: readonly Hook[] = [
  'metadata',
  'resolve',
  'ask',
  'answer',
  'admit',
  'issue',
  'respond',
  'present',
  'challenge',
  'describe',
];

/** What a list of features makes of a server, sorted once. */
export class FeatureSet implements ServerFacts {
  readonly hooks: ServerFacts['hooks'];
  readonly grants: ReadonlyMap<string, GrantTypeClass>;
  readonly responseTypes: ReadonlyMap<string, ResponseTypeClass>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly clientAuthentications: readonly ClientAuthentication[];
  private readonly resources: readonly { uri: string; origin: string; path: string }[];
  private paths: Readonly<Record<string, string | false>> = {};

  /** @throws InvalidArgumentError when two features add the same, or the model lacks what one asks of it */
  constructor(
    readonly features: readonly Feature[],
    readonly options: Options,
  ) {
    this.hooks = Object.fromEntries(HOOKS.map((hook) => [hook, having(features, hook)])) as never;
    this.grants = indexed(features, 'grants');
    this.responseTypes = indexed(features, 'responseTypes');
    this.endpoints = indexed(features, 'endpoints');
    this.clientAuthentications = features.flatMap(({ clientAuthentications = [] }) => clientAuthentications);
    const uris = new Set(features.flatMap(({ resources = [] }) => resources));
    this.resources = [...uris].map(placeOf).toSorted((a, b) => b.path.length - a.path.length);
    for (const { requires } of features) requireMethods(options.model, requires ?? []);
    for (const feature of features) {
      const [fault] = feature.check?.(this) ?? [];
      if (fault !== undefined) throw new InvalidArgumentError(`Invalid argument: ${fault}`);
    }
  }

  /** Says where the host has put the endpoints: their whole paths, by id; false: nowhere. */
  mount(paths: Readonly<Record<string, string | false>>): void {
    this.paths = paths;
  }

  issuerOf(): string | undefined {
    return this.options.issuer;
  }

  urlOf(endpoint: string, issuer: string | undefined): string | undefined {
    const path = this.paths[endpoint] ?? this.endpoints.get(endpoint)?.path;
    if (issuer === undefined || path === undefined || path === false) return undefined;
    const { origin, pathname } = new URL(issuer);
    const [base, route] = [pathname.replace(/\/$/, ''), `/${path.replace(/^\//, '')}`];
    // A host that answers under the path of its issuer has it in its routes, unless a proxy takes it off.
    return route.startsWith(`${base}/`) ? `${origin}${route}` : `${origin}${base}${route}`;
  }

  resourceOf(request: Request): string | undefined {
    if (this.resources.length === 0) return undefined;
    const path = comparablePath(requestPath(request));
    return this.resources.find((one) => path === one.path || path.startsWith(`${one.path}/`))?.uri;
  }
}

function having<H extends Hook>(features: readonly Feature[], hook: H): readonly With<H>[] {
  return features.filter((feature): feature is With<H> => typeof feature[hook] === 'function');
}

function indexed<K extends 'grants' | 'responseTypes' | 'endpoints'>(
  features: readonly Feature[],
  member: K,
): ReadonlyMap<string, NonNullable<Feature[K]>[string]> {
  const index = new Map<string, NonNullable<Feature[K]>[string]>();
  for (const feature of features) {
    for (const [name, value] of Object.entries(feature[member] ?? {})) {
      if (index.has(name)) throw twice(`\`${name}\` of \`${member}\``, feature.name);
      index.set(name, value as never);
    }
  }
  return index;
}

/** An absolute URI by its origin and the path that requests for it are under. */
function placeOf(uri: string) {
  if (!URL.canParse(uri))
    throw new InvalidArgumentError(`Invalid argument: the resource \`${uri}\` is no absolute URI`);
  const { origin, pathname } = new URL(uri);
  return { uri, origin, path: comparablePath(pathname).replace(/\/$/, '') };
}

const twice = (what: string, name: string) =>
  new InvalidArgumentError(`Invalid argument: ${what} is given twice, by \`${name}\``);
