import type { ClientAuthentication } from './client-authentication.js';
import type { ClientField } from './client-field.js';
import type { EndpointOf } from './endpoint.js';
import type { ParameterDescriptions } from './endpoint-description.js';
import type { ForbiddenParts } from './forbidden-parts.js';
import type { OwnUrls } from './own-urls.js';
import type { Capabilities, Capability, CollectedCapability, Declaration } from './capability.js';
import type {
  AuthorizationHooks,
  ClientHooks,
  HookLists,
  PushedRequestHooks,
  ResourceHooksOf,
  TokenHooks,
} from './hooks.js';
import type { GrantHandler } from './token-request.js';
import type { Awaitable } from '../model/model.js';
import type { Options } from '../options/resolve-options.js';
import type { PresentedTokenOf, RejectedRequestOf } from './presented-token.js';
import type { ResponseModeOf } from './response-mode.js';
import type { ResponseType } from './response-type.js';

/**
 * An extension of a server, mostly one specification. The features of the library and of applications are the same kind of
 * value. The static members are known before there is a model or a server: routes, start-up checks and API descriptions
 * are made of them.
 */
export interface Feature {
  /** The name of the feature, unique among the features of a server. Messages name a feature `dpop` as `dpop()`. */
  readonly id: string;
  /** The specification that the feature implements, such as `RFC 9449`. If omitted, there is no specification. */
  readonly specification?: string;
  /** The model methods that the feature needs. The server does not start without them. */
  readonly requires?: readonly string[];
  /** Endpoints by id. The module makes a route of each, and the option `paths` names them by id. */
  readonly endpoints?: Readonly<Record<string, Endpoint>>;
  /** Descriptions of the parameters that the feature reads, by endpoint id and parameter name: for API descriptions. */
  readonly parameters?: ParameterDescriptions;
  /** The grant types that the feature serves. RFC 6749 §4.5 */
  readonly grantTypes?: readonly string[];
  /** Values that framework adapters read before there is a server. */
  readonly declares?: readonly Declaration[];
  /** The protected resources that this application serves: absolute URIs, or paths at the origin of the issuer. RFC 8707 §2 */
  readonly resources?: readonly string[];
  /** Options of the server that a profile sets if the application does not. */
  readonly defaults?: Readonly<Partial<Options>>;
  /** Parts of all features that a profile forbids. */
  readonly forbids?: ForbiddenParts;
  /** Adds the feature to a server. It is called once for each server, and returns what the feature adds to that server. */
  install?(server: ServerBuilder): Installed | void;
}

/** A server while its features are being installed. The returned functions and `server` work once all features are installed. */
export interface ServerBuilder {
  /** The options of the server, with their defaults. */
  readonly options: Options;
  /** The finished server. @throws {InvalidArgumentError} While features are being installed. */
  readonly server: ServerContext;
  /** Provides a value to other features. `make` runs once: on first use, and at the end of the start at the latest. */
  provide<T>(key: Capability<T>, make: () => T): void;
  /** Contributes a value to a list that other features read. */
  contribute<T>(key: CollectedCapability<T>, value: T): void;
  /** Requires a value that another feature provides. The server does not start if no feature provides it. */
  use<T>(key: Capability<T>): () => T;
  /** Finds a value that another feature may provide. */
  find<T>(key: Capability<T>): () => T | undefined;
  /** Finds the values that features contribute. */
  all<T>(key: CollectedCapability<T>): () => readonly T[];
}

/** The parts that an installed feature adds to one server. Hooks may be async. Their order has no effect. */
export interface Installed {
  /** Grants, by `grant_type`. RFC 6749 §4.5 */
  readonly grants?: Readonly<Record<string, GrantHandler>>;
  /** Response types, by `response_type`. RFC 6749 §8.4 */
  readonly responseTypes?: Readonly<Record<string, ResponseType>>;
  /** Response modes, by `response_mode`. OAuth 2.0 Multiple Response Types §2.1 */
  readonly responseModes?: Readonly<Record<string, ResponseMode>>;
  /** Fields that clients may register, with validators that accept what the server supports. RFC 7591 §2 */
  readonly clientFields?: readonly ClientField<string, unknown, ServerContext>[];
  /** Methods of client authentication. RFC 6749 §2.3 */
  readonly clientAuthentications?: readonly ClientAuthentication[];
  /**
   * Authentication schemes of tokens besides `Bearer`, with the parameters of their challenge: `{ DPoP: { algs: 'ES256' } }`. The hook
   * `resource.verify` validates tokens that are presented in them. RFC 9110 §11.1
   */
  readonly tokenSchemes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Members of `cnf` that `resource.verify` verifies. A token that is bound in another way is refused. RFC 7800 §3 */
  readonly confirmationMethods?: readonly string[];
  /** Origins where the endpoints are known besides the issuer, at the same paths: for `htu` of DPoP. RFC 8705 §5 */
  readonly origins?: readonly string[];
  /** Scope values whose authorization requests must contain `redirect_uri`, even if the client has registered only one. */
  readonly redirectUriScopes?: readonly string[];
  /** Scope values that are dropped from a request if they cannot be granted, instead of refusing it. OpenID Connect Core §11 */
  readonly ignorableScopes?: readonly string[];
  readonly authorization?: AuthorizationHooks;
  readonly pushedRequest?: PushedRequestHooks;
  readonly token?: TokenHooks;
  readonly resource?: ResourceHooks;
  readonly client?: ClientHooks;
  /** Returns members of the server metadata. RFC 8414 §2 */
  metadata?(issuer: string | undefined): object;
  /** Returns configuration errors, as messages for the developer. Only the first one is reported. */
  misconfigurations?(server: ServerContext): Iterable<string>;
  /**
   * Returns configuration errors in the options of a single call of `authorize`, `authenticate`, `token` or `readAuthorizationRequest`,
   * merged with those of the server. The first one fails the call with `server_error`. It does not run for calls without options, or
   * with a `scope` alone, and runs once for options that are frozen.
   */
  callMisconfigurations?(options: Options): Iterable<string>;
  /** Returns why the feature does not work at present. `undefined`: it works. Health checks call it. */
  health?(): Awaitable<string | undefined>;
}

/** The hooks of a feature for requests to protected resources. */
export type ResourceHooks = ResourceHooksOf<ServerContext>;

/** An endpoint of a server. */
export type Endpoint = EndpointOf<ServerContext>;

/** A way to send an authorization response to the client. OAuth 2.0 Multiple Response Types §2.1 */
export type ResponseMode = ResponseModeOf<ServerContext>;

/** A token as it was presented. */
export type PresentedToken = PresentedTokenOf<ServerContext>;

/** A request to a protected resource that is rejected. */
export type RejectedRequest = RejectedRequestOf<ServerContext>;

/** A feature, with the parts that it added to a server. */
export interface InstalledFeature {
  readonly feature: Feature;
  readonly parts: Installed;
}

/** The hooks of all features of a server. */
export interface ServerHooks {
  readonly authorization: HookLists<AuthorizationHooks>;
  readonly pushedRequest: HookLists<PushedRequestHooks>;
  readonly token: HookLists<TokenHooks>;
  readonly resource: HookLists<ResourceHooks>;
  readonly client: HookLists<ClientHooks>;
}

/** A server, as its features use it. */
export interface ServerContext extends OwnUrls, Capabilities {
  /** The options of the server, with their defaults. The model is among them. */
  readonly options: Options;
  /** All features. The features of RFC 6749 come first. */
  readonly features: readonly Feature[];
  /** All features, each with the parts that it added to this server. */
  readonly installed: readonly InstalledFeature[];
  readonly hooks: ServerHooks;
  /** By `grant_type`. */
  readonly grants: ReadonlyMap<string, GrantHandler>;
  /** By `response_type`. */
  readonly responseTypes: ReadonlyMap<string, ResponseType>;
  /** By `response_mode`. */
  readonly responseModes: ReadonlyMap<string, ResponseMode>;
  /** By id. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly clientAuthentications: readonly ClientAuthentication[];
  /** Scope values that are dropped from a request if they cannot be granted. */
  readonly ignorableScopes: readonly string[];
  /** Methods of client authentication that a profile forbids. */
  readonly forbiddenAuthenticationMethods: ReadonlySet<string>;
  /** Authentication schemes of tokens besides `Bearer`, with the parameters of their challenge. RFC 9110 §11.1 */
  readonly tokenSchemes: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The members of `cnf` that a feature verifies. RFC 7800 §3 */
  readonly confirmationMethods: ReadonlySet<string>;
  /** The protected resources that this application serves, as absolute URIs. RFC 8707 §2 */
  readonly resources: readonly string[];
}
