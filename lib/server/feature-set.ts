import type { ClientAuthentication } from '../contracts/client-authentication.js';
import type { Endpoint, Feature, Hook, ServerContext, With } from '../contracts/feature.js';
import { called, findConflict, HOOKS, type PARTS } from './feature-list.js';
import { joined } from '../events/events.js';
import { isForbidden } from '../contracts/forbids.js';
import type { GrantTypeClass } from '../contracts/grant-type-class.js';
import type { Request } from '../http/request.js';
import { endpointUrl } from '../http/public-url.js';
import { requestPath } from '../http/request-path.js';
import type { Options } from '../options/settle.js';
import type { ResponseTypeClass } from '../contracts/response-type.js';
import { findMissingMethods, lacks } from '../model/require-methods.js';
import { isResourcePath, OwnResources } from '../endpoints/resource/own-resources.js';
import { refuse } from '../errors/configuration-error.js';

/** What a list of features makes of a server, sorted once. */
export class FeatureSet implements ServerContext {
  readonly options: Options;
  readonly hooks: ServerContext['hooks'];
  readonly grants: ReadonlyMap<string, GrantTypeClass>;
  readonly responseTypes: ReadonlyMap<string, ResponseTypeClass>;
  readonly responseModes: ServerContext['responseModes'];
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly clientAuthentications: readonly ClientAuthentication[];
  readonly ignorableScopes: readonly string[];
  readonly forbidden: ReadonlySet<string>;
  readonly schemes: ServerContext['schemes'];
  readonly confirms: ReadonlySet<string>;
  private readonly own: OwnResources;
  private readonly origins: readonly string[];
  private paths: Readonly<Record<string, string | false>> = {};

  /** @throws InvalidArgumentError when two features add the same, or the model lacks what one asks of it */
  constructor(
    readonly features: readonly Feature[],
    options: Options,
  ) {
    refuse(findConflict(features));
    this.hooks = Object.fromEntries(HOOKS.map((hook) => [hook, having(features, hook)])) as never;
    this.options = observedOptions(options, features);
    this.grants = allowed(features, 'grants');
    this.responseTypes = allowed(features, 'responseTypes');
    this.responseModes = indexed(features, 'responseModes');
    this.endpoints = indexed(features, 'endpoints');
    this.clientAuthentications = features.flatMap(({ clientAuthentications = [] }) => clientAuthentications);
    const methods = this.clientAuthentications.map(({ method }) => method);
    this.forbidden = new Set(methods.filter((method) => isForbidden(features, 'clientAuthentications', method)));
    this.schemes = indexed(features, 'schemes');
    this.ignorableScopes = features.flatMap(({ ignorableScopes = [] }) => ignorableScopes);
    this.confirms = new Set(features.flatMap(({ confirms = [] }) => confirms));
    this.origins = features.flatMap(({ origins = [] }) => origins);
    const resources = features.flatMap((feature) => feature.resources ?? []);
    for (const one of resources) refuse(resourceFault(one, options.issuer));
    this.own = new OwnResources(resources, options.issuer);
    refuse(this.findFaults());
  }

  /** Returns the configuration errors of all features in one message: missing model methods, then the first error of each. */
  private findFaults(): string | undefined {
    const requirements = this.features.map((feature) => ({
      neededBy: called(feature),
      methods: feature.requires ?? [],
      alternative: 'leave the feature out',
    }));
    const missing = findMissingMethods(this.options.model, requirements);
    const faults = this.features.flatMap((feature) => {
      try {
        // Only the first error of a feature: its further ones are often consequences.
        return feature.check?.(this).slice(0, 1) ?? [];
      } catch (error) {
        // Without its model methods a feature may fail to check itself; then the missing methods are the message.
        if (missing === undefined) throw error;
        return [];
      }
    });
    const methods = missing === undefined ? [] : requirements.flatMap((one) => one.methods);
    const absent = methods.filter((method) => lacks(this.options.model, method));
    const isReported = (fault: string) => absent.some((method) => fault.includes(`\`${method}()\``));
    const others = [...new Set(faults)].filter((fault) => !isReported(fault));
    const all = [missing, ...others].filter((fault) => fault !== undefined);
    if (all.length < 2) return all[0];
    return `${all.length} configuration errors:\n${all.map((fault, at) => `${at + 1}. ${fault}`).join('\n')}`;
  }

  get resources(): readonly string[] {
    return this.own.uris;
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
    return endpointUrl(issuer, path);
  }

  urlsOf(endpoint: string, issuer: string | undefined): readonly string[] {
    const url = this.urlOf(endpoint, issuer);
    return url === undefined ? [] : [url, ...this.origins.map((origin) => origin + new URL(url).pathname)];
  }

  resourceOf(request: Request): string | undefined {
    return this.resources.length === 0 ? undefined : this.own.find(requestPath(request));
  }
}

/** The options with the model and the listeners that features put in their place; without such features, as they are. */
function observedOptions(options: Options, features: readonly Feature[]): Options {
  const heard = features.flatMap(({ events = [] }) => events);
  const observing = having(features, 'observeModel');
  if (heard.length + observing.length === 0) return options;
  const model = observing.reduce((made, feature) => feature.observeModel(made), options.model);
  const events = joined([options.events ?? [], heard].flat());
  return { ...options, model, events };
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

/** The same without what a profile forbids. */
function allowed<K extends 'grants' | 'responseTypes'>(features: readonly Feature[], part: K) {
  const all = indexed(features, part);
  return new Map([...all].filter(([name]) => !isForbidden(features, part, name))) as typeof all;
}

/** What is wrong with a resource that a feature names, as a sentence. */
function resourceFault(resource: string, issuer: string | undefined): string | undefined {
  const isGood = isResourcePath(resource) ? issuer !== undefined : URL.canParse(resource);
  if (isGood) return undefined;
  return resource.startsWith('/')
    ? `the resource \`${resource}\` is a path at the origin of the option \`issuer\`: give that`
    : `the resource \`${resource}\` is no absolute URI`;
}
