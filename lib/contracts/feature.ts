import type { ClientAuthentication } from './client-authentication.js';
import type { ClientField } from './client-field.js';
import type { EndpointOf } from './endpoint.js';
import type { ParameterDescriptions } from './endpoint-description.js';
import type { ForbiddenParts } from './forbidden-parts.js';
import type { OwnUrls } from './own-urls.js';
import type { Capabilities, Capability, CollectedCapability } from './capability.js';
import type {
  AuthorizationHooks,
  ClientHooks,
  HookLists,
  PushedRequestHooks,
  ResourceHooksOf,
  TokenHooks,
} from './hooks.js';
import type { Injection } from './injection.js';
import type { GrantHandler } from './token-request.js';
import type { Awaitable } from '../model/model.js';
import type { Options } from '../options/resolve-options.js';
import type { PresentedTokenOf, RejectedRequestOf } from './presented-token.js';
import type { ResponseModeOf } from './response-mode.js';
import type { ResponseType } from './response-type.js';

/**
 * An extension of a server, usually one specification. Features of the library and of applications are the same kind of
 * object. All members except `install()` are known before there is a model or a server: routes, start-up checks and API
 * descriptions use them.
 */
export interface Feature {
  /** The name of the feature, unique within a server. Error messages write the name `dpop` as `dpop()`. */
  readonly id: string;
  /** The specification that the feature implements, such as `RFC 9449`. If omitted, it implements none. */
  readonly specification?: string;
  /** The model methods that the feature needs. The server does not start if the model lacks one of them. */
  readonly requires?: readonly string[];
  /**
   * The endpoints of the feature, by ID. The Nest module creates a route for each, unless the option `paths` sets it to
   * `false`.
   */
  readonly endpoints?: Readonly<Record<string, Endpoint>>;
  /**
   * Descriptions of the parameters that the feature reads, by endpoint ID and parameter name. Used for API
   * descriptions.
   */
  readonly parameters?: ParameterDescriptions;
  /** The grant types that the feature supports. RFC 6749 §4.5 */
  readonly grantTypes?: readonly string[];
  /** Options that take an object of the application, created by `injects()`. Servers provide the instances. */
  readonly injects?: readonly Injection[];
  /** The capability keys that framework adapters look for before a server exists, because `install()` provides them. */
  readonly provides?: readonly Capability<unknown>[];
  /** The protected resources of this application: absolute URIs, paths, or route paths such as `mcp`. RFC 8707 §2 */
  readonly resources?: readonly string[];
  /** Server options that this profile sets. Options that the application sets take precedence. */
  readonly defaults?: Readonly<Partial<Options>>;
  /**
   * The grant types, response types, client authentication methods and algorithms that this profile forbids, also in
   * other features.
   */
  readonly forbids?: ForbiddenParts;
  /** The options of the feature with their defaults, for reports. They must contain no secret. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * Adds the feature to a server, and returns the parts that it adds, such as grants and hooks. It is called once per
   * server.
   */
  install?(server: ServerBuilder): Installed | void;
}

/**
 * The server as `install()` of a feature receives it, while the features are being installed. `server`, and the
 * functions that `use()`, `find()` and `all()` return, cannot be used until all features are installed.
 */
export interface ServerBuilder {
  /** The options of the server, with their defaults. */
  readonly options: Options;
  /**
   * The installed server.
   * @throws {InvalidArgumentError} If it is read while features are still being installed.
   */
  readonly server: ServerContext;
  /**
   * Provides a value to other features under a capability key. `make` runs once: on first use, or at the end of the
   * start-up.
   */
  provide<T>(key: Capability<T>, make: () => T): void;
  /** Contributes a value to the list that other features read under a capability key. */
  contribute<T>(key: CollectedCapability<T>, value: T): void;
  /**
   * Requires the value that another feature provides under a capability key. If no feature provides it, the server does
   * not start.
   * @returns A function that returns the value, once all features are installed.
   */
  use<T>(key: Capability<T>): () => T;
  /**
   * Looks up the value that another feature may provide under a capability key.
   * @returns A function that returns the value, or `undefined` if no feature provides it. It can be called once all
   * features are installed.
   */
  find<T>(key: Capability<T>): () => T | undefined;
  /**
   * Looks up the values that features contribute under a capability key.
   * @returns A function that returns the list of values. It can be called once all features are installed.
   */
  all<T>(key: CollectedCapability<T>): () => readonly T[];
}

/** The parts that `install()` adds to one server. Hooks may be async. The order of features has no effect. */
export interface Installed {
  /** The grants that the feature adds, by `grant_type`. RFC 6749 §4.5 */
  readonly grants?: Readonly<Record<string, GrantHandler>>;
  /** The response types that the feature adds, by `response_type`. RFC 6749 §8.4 */
  readonly responseTypes?: Readonly<Record<string, ResponseType>>;
  /** The response modes that the feature adds, by `response_mode`. OAuth 2.0 Multiple Response Types §2.1 */
  readonly responseModes?: Readonly<Record<string, ResponseMode>>;
  /**
   * The fields of client metadata that clients may register because of this feature. Each accepts only values that the
   * server supports. RFC 7591 §2
   */
  readonly clientFields?: readonly ClientField<string, unknown, ServerContext>[];
  /** The client authentication methods that the feature adds. RFC 6749 §2.3 */
  readonly clientAuthentications?: readonly ClientAuthentication[];
  /**
   * Token authentication schemes besides `Bearer`, with the parameters of their challenge:
   * `{ DPoP: { algs: 'ES256' } }`. The hook `resource.verify` must validate tokens that are presented with them.
   * RFC 9110 §11.1
   */
  readonly tokenSchemes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * The members of `cnf` that the hook `resource.verify` of this feature verifies, such as `jkt`. A token with a
   * confirmation method that no feature verifies is rejected. RFC 7800 §3
   */
  readonly confirmationMethods?: readonly string[];
  /**
   * Further origins at which all endpoints of the server are available, at the same paths as at the issuer. For
   * example, `htu` of a DPoP proof may then have one of these origins. RFC 8705 §5
   */
  readonly origins?: readonly string[];
  /**
   * Scope values that make `redirect_uri` required in an authorization request, even if the client has registered only
   * one.
   */
  readonly redirectUriScopes?: readonly string[];
  /**
   * Scope values that are removed from a request if they cannot be granted, instead of rejecting the request. OpenID
   * Connect Core §11
   */
  readonly ignorableScopes?: readonly string[];
  /** The scope values of a request without `scope` by a client that has no default scope. RFC 6749 §3.3 */
  readonly defaultScope?: readonly string[];
  readonly authorization?: AuthorizationHooks;
  readonly pushedRequest?: PushedRequestHooks;
  readonly token?: TokenHooks;
  readonly resource?: ResourceHooks;
  readonly client?: ClientHooks;
  /** Returns members to add to the server metadata. RFC 8414 §2 */
  metadata?(issuer: string | undefined): object;
  /** Returns configuration errors, as messages for the developer. Only the first error is reported. */
  misconfigurations?(server: ServerContext): Iterable<string>;
  /**
   * Returns configuration errors in the options of a single call of `authorize`, `authenticate`, `token` or
   * `readAuthorizationRequest`, merged with those of the server. The first error fails the call with `server_error`. It
   * is not called if the call has no options. For calls of `authenticate` with the same options, it is called once.
   */
  callMisconfigurations?(options: Options): Iterable<string>;
  /** Verifies the stored data when an application starts. An `InvalidArgumentError` stops it. Others are logged. */
  verifyStoredState?(): Awaitable<void>;
  /**
   * Returns why the feature does not work at the moment, or `undefined` if it works. Health checks of the application
   * call it.
   */
  health?(): Awaitable<string | undefined>;
}

/**
 * The hooks by which a feature validates access tokens at protected resources, and adds parameters to the challenge of
 * rejected requests.
 */
export type ResourceHooks = ResourceHooksOf<ServerContext>;

/** An HTTP endpoint of a server. */
export type Endpoint = EndpointOf<ServerContext>;

/** A way to send an authorization response to the client. OAuth 2.0 Multiple Response Types §2.1 */
export type ResponseMode = ResponseModeOf<ServerContext>;

/** An access token and the request to a protected resource that presents it. */
export type PresentedToken = PresentedTokenOf<ServerContext>;

/** A request to a protected resource that was rejected, and the error. */
export type RejectedRequest = RejectedRequestOf<ServerContext>;

/** A feature and the parts that it added to a server. */
export interface InstalledFeature {
  readonly feature: Feature;
  readonly parts: Installed;
}

/** The hooks of all features of a server, grouped by kind of request. */
export interface ServerHooks {
  readonly authorization: HookLists<AuthorizationHooks>;
  readonly pushedRequest: HookLists<PushedRequestHooks>;
  readonly token: HookLists<TokenHooks>;
  readonly resource: HookLists<ResourceHooks>;
  readonly client: HookLists<ClientHooks>;
}

/** A server as its features see it. */
export interface ServerContext extends OwnUrls, Capabilities {
  /** The options of the server, including the model, with their defaults. */
  readonly options: Options;
  /** All features. The features of RFC 6749 come first. */
  readonly features: readonly Feature[];
  /** All features, each with the parts that it added to this server. */
  readonly installed: readonly InstalledFeature[];
  readonly hooks: ServerHooks;
  /** The grants, by `grant_type`. */
  readonly grants: ReadonlyMap<string, GrantHandler>;
  /** The response types, by `response_type`. */
  readonly responseTypes: ReadonlyMap<string, ResponseType>;
  /** The response modes, by `response_mode`. */
  readonly responseModes: ReadonlyMap<string, ResponseMode>;
  /** The endpoints, by ID. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly clientAuthentications: readonly ClientAuthentication[];
  /** Scope values that are removed from a request if they cannot be granted. */
  readonly ignorableScopes: readonly string[];
  /** The scope values of a request without `scope` by a client that has no default scope. RFC 6749 §3.3 */
  readonly defaultScope: readonly string[];
  /** The installed client authentication methods that a profile forbids. */
  readonly forbiddenAuthenticationMethods: ReadonlySet<string>;
  /** Token authentication schemes besides `Bearer`, each with the parameters of its challenge. RFC 9110 §11.1 */
  readonly tokenSchemes: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The members of `cnf` that features of this server verify. RFC 7800 §3 */
  readonly confirmationMethods: ReadonlySet<string>;
  /** The protected resources that features of this server declare, as absolute URIs. RFC 8707 §2 */
  readonly resources: readonly string[];
}
