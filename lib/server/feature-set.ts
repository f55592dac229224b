import type { Capability, CollectedCapability } from '../contracts/capability.js';
import type { ClientAuthentication } from '../contracts/client-authentication.js';
import type {
  Endpoint,
  Feature,
  Installed,
  InstalledFeature,
  ServerBuilder,
  ServerContext,
  ServerHooks,
} from '../contracts/feature.js';
import { isForbidden } from '../contracts/forbidden-parts.js';
import type { GrantHandler } from '../contracts/token-request.js';
import type { ResponseType } from '../contracts/response-type.js';
import { OwnResources, type ResourcePaths, resourceUrl } from '../endpoints/resource/own-resources.js';
import { assertConfig, configurationError } from '../errors/configuration-error.js';
import { endpointUrl } from '../http/public-url.js';
import { requestPath } from '../http/request-path.js';
import type { Request } from '../http/request.js';
import type { Options } from '../options/resolve-options.js';
import { CapabilityRegistry } from './capability-registry.js';
import { findEndpointConflict, findPartConflict } from './feature-conflicts.js';
import { findInvalidPart, hooksOf } from './hook-lists.js';
import { findMisconfigurations, findResourceError } from './misconfigurations.js';

/** The installed features of one server, and the parts that they add. */
export class FeatureSet implements ServerContext {
  readonly installed: readonly InstalledFeature[];
  readonly hooks: ServerHooks;
  readonly grants: ReadonlyMap<string, GrantHandler>;
  readonly responseTypes: ReadonlyMap<string, ResponseType>;
  readonly responseModes: ServerContext['responseModes'];
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly clientAuthentications: readonly ClientAuthentication[];
  readonly ignorableScopes: readonly string[];
  readonly defaultScope: readonly string[];
  readonly forbiddenAuthenticationMethods: ReadonlySet<string>;
  readonly tokenSchemes: ServerContext['tokenSchemes'];
  readonly confirmationMethods: ReadonlySet<string>;
  private readonly capabilities = new CapabilityRegistry();
  private ownResources: OwnResources;
  private readonly origins: readonly string[];
  private paths: Readonly<Record<string, string | false>> = {};
  private resourcePaths: ResourcePaths = {};
  private isInstalled = false;

  /** @throws {InvalidArgumentError} If two features conflict, or if a feature reports a configuration error. */
  constructor(
    readonly features: readonly Feature[],
    readonly options: Options,
  ) {
    const conflict = findEndpointConflict(features);
    if (conflict !== undefined) throw configurationError(conflict);
    this.endpoints = new Map(features.flatMap((feature) => Object.entries(feature.endpoints ?? {})));
    this.installed = features.map((feature) => ({ feature, parts: feature.install?.(this.builderFor(feature)) ?? {} }));
    this.isInstalled = true;
    for (const feature of features) {
      for (const one of feature.injects ?? []) this.capabilities.inject(feature, one);
      for (const { uses = [] } of Object.values(feature.endpoints ?? {}))
        for (const key of uses) this.capabilities.require(feature, key);
    }
    const partConflict = findInvalidPart(this.installed) ?? findPartConflict(this.installed);
    if (partConflict !== undefined) throw configurationError(partConflict);
    const parts = this.installed.map((one) => one.parts);
    this.hooks = hooksOf(parts);
    this.grants = withoutForbidden(features, 'grants', entriesOf(parts, 'grants'));
    this.responseTypes = withoutForbidden(features, 'responseTypes', entriesOf(parts, 'responseTypes'));
    this.responseModes = new Map(entriesOf(parts, 'responseModes'));
    this.tokenSchemes = new Map(entriesOf(parts, 'tokenSchemes'));
    this.clientAuthentications = parts.flatMap(({ clientAuthentications = [] }) => clientAuthentications);
    const methods = this.clientAuthentications.map(({ method }) => method);
    this.forbiddenAuthenticationMethods = new Set(
      methods.filter((method) => isForbidden(features, 'clientAuthentications', method)),
    );
    this.defaultScope = [...new Set(parts.flatMap(({ defaultScope = [] }) => defaultScope))];
    this.ignorableScopes = parts.flatMap(({ ignorableScopes = [] }) => ignorableScopes);
    this.confirmationMethods = new Set(parts.flatMap(({ confirmationMethods = [] }) => confirmationMethods));
    this.origins = parts.flatMap(({ origins = [] }) => origins);
    for (const one of declaredResources(features)) {
      const resourceError = findResourceError(one, options.issuer);
      if (resourceError !== undefined) throw configurationError(resourceError);
    }
    this.ownResources = new OwnResources(declaredResources(features), options.issuer);
    const misconfigurations = findMisconfigurations(this, this.capabilities.findMissing());
    if (misconfigurations !== undefined) throw configurationError(misconfigurations);
    this.capabilities.makeAll();
  }

  private builderFor(feature: Feature): ServerBuilder {
    const { options, capabilities } = this;
    const server = (): ServerContext => {
      assertConfig(this.isInstalled, '`server` is not available while features are installed');
      return this;
    };
    // Reading a value earlier would make the order of features matter.
    const afterInstallation =
      <T>(read: () => T) =>
      (): T => {
        assertConfig(
          this.isInstalled,
          'the values that features provide are not available while features are installed',
        );
        return read();
      };
    return {
      options,
      get server() {
        return server();
      },
      provide: (key, make) => capabilities.provide(feature, key, make),
      contribute: (key, value) => capabilities.contribute(key, value),
      use<T>(key: Capability<T>) {
        capabilities.require(feature, key);
        return afterInstallation(() => capabilities.find(key)!);
      },
      find: (key) => afterInstallation(() => capabilities.find(key)),
      all: (key) => afterInstallation(() => capabilities.all(key)),
    };
  }

  find<T>(key: Capability<T>): T | undefined {
    return this.capabilities.find(key);
  }

  all<T>(key: CollectedCapability<T>): readonly T[] {
    return this.capabilities.all(key);
  }

  get resources(): readonly string[] {
    return this.ownResources.uris;
  }

  /**
   * Sets the full paths at which the application serves the endpoints, by endpoint ID. `false` means that an endpoint
   * is not served.
   * @param resources The full paths of protected resources, by route path.
   * @throws {InvalidArgumentError} If a feature reports a configuration error of the mounted resources.
   */
  mount(paths: Readonly<Record<string, string | false>>, resources: ResourcePaths = {}): void {
    this.paths = paths;
    this.resourcePaths = resources;
    const mounted = new OwnResources(declaredResources(this.features), this.options.issuer, resources);
    if (mounted.uris.join(' ') === this.resources.join(' ')) return;
    this.ownResources = mounted;
    const misconfigurations = findMisconfigurations(this, undefined);
    if (misconfigurations !== undefined) throw configurationError(misconfigurations);
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

  resourceUrl(resource: string, issuer: string | undefined): string | undefined {
    return resourceUrl(resource, issuer, this.resourcePaths);
  }

  resourceOf(request: Request): string | undefined {
    return this.resources.length === 0 ? undefined : this.ownResources.find(requestPath(request));
  }
}

const declaredResources = (features: readonly Feature[]) => features.flatMap(({ resources = [] }) => resources);

type RecordPart = 'grants' | 'responseTypes' | 'responseModes' | 'tokenSchemes';

/** Returns the entries that all features add to one of the parts that are records, such as `grants`. */
const entriesOf = <K extends RecordPart>(all: readonly Installed[], part: K) =>
  all.flatMap((parts) => Object.entries(parts[part] ?? {})) as [string, NonNullable<Installed[K]>[string]][];

/** Returns a map of the grants or response types that no profile forbids. */
const withoutForbidden = <T>(
  features: readonly Feature[],
  part: 'grants' | 'responseTypes',
  entries: readonly [string, T][],
) => new Map(entries.filter(([name]) => !isForbidden(features, part, name)));
