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
  verify(findRepeated(list));
  const features = new Map(ownOf(list).map((feature) => [feature.name, feature]));
  for (const feature of list.filter((one): one is readonly Feature[] => Array.isArray(one)).flat()) {
    features.set(feature.name, bent(feature, features.get(feature.name)));
  }
  return [...features.values()];
}

/** What a host lists itself; one that a profile brings too is meant to be bent. */
const ownOf = (list: FeatureList) => list.filter((one): one is Feature => !Array.isArray(one));

/** A feature that a host lists twice, or that has no name, as a sentence. */
export function findRepeated(list: FeatureList): string | undefined {
  const names = ownOf(list).map((feature) => feature?.name);
  if (names.some((name) => typeof name !== 'string')) return 'a feature has a `name`';
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  return repeated && `the feature \`${repeated}\` stands twice in \`features\`: leave one out`;
}

/** Two features that add the same, as a sentence. */
export function findConflict(features: readonly Feature[]): string | undefined {
  for (const part of PARTS) {
    const owners = new Map<string, string>();
    for (const { name, [part]: added = {} } of features) {
      for (const id of Object.keys(added)) {
        const other = owners.get(id);
        if (other !== undefined) {
          return `the features \`${other}\` and \`${name}\` both add \`${id}\` to \`${part}\`: leave one out of \`features\``;
        }
        owners.set(id, name);
      }
    }
  }
  return undefined;
}

/** What features add by a name, which no two of them may use. */
const PARTS = ['grants', 'responseTypes', 'endpoints'] as const;

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

const MEMBERS: readonly (keyof Feature)[] = [
  ...HOOKS,
  'requires',
  'grants',
  'responseTypes',
  'endpoints',
  'clientAuthentications',
  'resources',
  'check',
];

/** A feature of a profile with what the host's own has in place of it. Each may be of a class, and its methods stay with it. */
function bent(feature: Feature, own: Feature | undefined): Feature {
  if (!own) return feature;
  const members = MEMBERS.map((member) => {
    const owner = member in own ? own : feature;
    const value: unknown = owner[member];
    return [member, typeof value === 'function' ? (value.bind(owner) as unknown) : value];
  });
  return { ...feature, ...own, ...(Object.fromEntries(members) as object) };
}

/** What a list of features makes of a server, sorted once. */
export class FeatureSet implements ServerFacts {
  readonly hooks: ServerFacts['hooks'];
  readonly grants: ReadonlyMap<string, GrantTypeClass>;
  readonly responseTypes: ReadonlyMap<string, ResponseTypeClass>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly clientAuthentications: readonly ClientAuthentication[];
  private readonly resources: readonly { uri: string; path: string }[];
  private paths: Readonly<Record<string, string | false>> = {};

  /** @throws InvalidArgumentError when two features add the same, or the model lacks what one asks of it */
  constructor(
    readonly features: readonly Feature[],
    readonly options: Options,
  ) {
    verify(findConflict(features));
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
      verify(fault);
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

function indexed<K extends (typeof PARTS)[number]>(
  features: readonly Feature[],
  part: K,
): ReadonlyMap<string, NonNullable<Feature[K]>[string]> {
  return new Map(features.flatMap((feature) => Object.entries(feature[part] ?? {}))) as never;
}

/** An absolute URI, and the path that requests for it are under. */
function placeOf(uri: string) {
  verify(URL.canParse(uri) ? undefined : `the resource \`${uri}\` is no absolute URI`);
  return { uri, path: comparablePath(new URL(uri).pathname).replace(/\/$/, '') };
}

/** Stops a server that cannot work. */
function verify(fault: string | undefined): void {
  if (fault !== undefined) throw new InvalidArgumentError(`Invalid argument: ${fault}`);
}
