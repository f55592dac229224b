import type { ClientAuthentication } from './client-authentication.js';
import type { ClientField } from './client-field.js';
import type { EndpointOf } from './endpoint.js';
import type { DescribedParameters } from './endpoint-description.js';
import type { ClientRequest } from './client-request.js';
import type { Forbids } from './forbids.js';
import type { ClientMetadata } from '../clients/registration/client-metadata.js';
import type { GrantTypeClass } from '../model/grant-type-class.js';
import type { OwnUrls } from './own-urls.js';
import type { Parameters } from '../http/parameters.js';
import type { Request } from '../http/request.js';
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
import type { Awaitable, CoreClient, Falsy, Token, User } from '../model/model.js';
import type { Options } from '../options/settle.js';
import type { Resolved } from './resolved.js';
import type { PresentedOf, RefusedOf } from './presented.js';
import type { Need, Presence } from './required-interaction.js';
import type { ResponseModeOf } from './response-mode.js';
import type { Answer, AuthorizationRequest, Decision, ResponseType } from './response-type.js';
import type { Minted } from './token-format.js';

/**
 * What one specification adds to a server. The features of the library and of applications are the same kind of value. The static
 * members are known before there is a model or a server: routes, start-up checks and API descriptions are made of them.
 */
export interface Feature extends LegacyFeature {
  /** The grant types that it serves, by `grant_type`. RFC 6749 §4.5 */
  readonly grantTypes?: readonly string[];
  /** Values that framework adapters read before there is a server. */
  readonly declares?: readonly Declaration[];
  /** Adds the feature to a server. It is called once for each server, and returns what the feature adds to that server. */
  install?(server: ServerBuilder): Installed | void;
}

/** A server while its features are being installed. The returned functions and `server` work once all features are installed. */
export interface ServerBuilder {
  /** The options of the server, with their defaults. */
  readonly options: Options;
  /** The finished server. @throws {InvalidArgumentError} While features are being installed. */
  readonly server: ServerContext;
  /** Provides something to other features. `make` runs once: on first use, and at the end of the start at the latest. */
  provide<T>(key: Capability<T>, make: () => T): void;
  /** Contributes a value to a list that other features read. */
  contribute<T>(key: CollectedCapability<T>, value: T): void;
  /** Requires what another feature provides. The server does not start if no feature does. */
  use<T>(key: Capability<T>): () => T;
  /** Finds what another feature may provide. */
  find<T>(key: Capability<T>): () => T | undefined;
  /** Finds what other features contribute. */
  all<T>(key: CollectedCapability<T>): () => readonly T[];
}

/** What an installed feature adds to one server. Hooks may be async. Their order has no effect. */
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
   * `resource.verify` validates what is presented in them. RFC 9110 §11.1
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

/** What a feature adds to requests to protected resources. */
export type ResourceHooks = ResourceHooksOf<ServerContext>;

/** The members that features had before `install`. They are being converted. */
export interface LegacyFeature {
  /** As people call it: `RFC 7009`. No two features have the same. */
  readonly name: string;
  /** The function that makes it, as sentences to a host call it: `revocation`. Left out: they say its name. */
  readonly factory?: string;
  /** Methods that the model must have for it; checked when the server is made. */
  readonly requires?: readonly string[];
  /** Grant types by their `grant_type`. RFC 6749 §4.5 */
  readonly grants?: Readonly<Record<string, GrantTypeClass>>;
  /** Response types by their `response_type`. RFC 6749 §8.4 */
  readonly responseTypes?: Readonly<Record<string, ResponseType>>;
  /** Ways for an authorization answer to travel, by their `response_mode`. OAuth 2.0 Multiple Response Types §2.1 */
  readonly responseModes?: Readonly<Record<string, ResponseMode>>;
  /** By id; the module makes a route of each, and `paths` of the host names them so. */
  readonly endpoints?: Readonly<Record<string, Endpoint>>;
  /** The parameters it reads, by the id of the endpoint, a sentence each: for the description of an API. */
  readonly parameters?: DescribedParameters;
  /** How a client may say and prove who it is. RFC 6749 §2.3 */
  readonly clientAuthentications?: readonly ClientAuthentication[];
  /**
   * How its tokens are presented, beside `Bearer`, and what a challenge for that says: `{ DPoP: { algs: 'ES256' } }`. Its
   * `present` judges what comes so. RFC 9110 §11.1
   */
  readonly schemes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Scope values whose authorization requests must contain `redirect_uri`, even if the client has one registered URI only. */
  readonly redirectUriScopes?: readonly string[];
  /** Scope values that are dropped from a request if they cannot be granted, instead of refusing it. OpenID Connect Core §11 */
  readonly ignorableScopes?: readonly string[];
  /** Members of `cnf` that its `present` verifies: a token that is bound otherwise is refused. RFC 7800 §3 */
  readonly confirms?: readonly string[];
  /** Where the endpoints are known besides the issuer, at the same paths: for `htu` of DPoP. RFC 8705 §5 */
  readonly origins?: readonly string[];
  /** The protected resources that this application is: absolute URIs, or paths at the origin of the issuer. RFC 8707 §2 */
  readonly resources?: readonly string[];
  /** Options of the server that it sets where the host says nothing: of a profile. */
  readonly defaults?: Readonly<Partial<Options>>;
  /** What of all features it does not let stand: of a profile. */
  readonly forbids?: Forbids;
  /** Members of the metadata of the server. RFC 8414 §2 */
  metadata?(server: ServerContext, issuer: string | undefined): object;
  /** What is wrong with how the host has set it up, as sentences; asked when the server is made. */
  check?(server: ServerContext): readonly string[];
  /**
   * Validates the options of a single call of `authorize`, `authenticate`, `token` or `readAuthorizationRequest`, merged with those of
   * the server. Returns configuration errors: the first one fails the call with `server_error`. It does not run for calls without
   * options, or with a `scope` alone.
   */
  checkOptions?(options: Options): readonly string[];
  /** What keeps it from working now, as a sentence; undefined: nothing. Asked by health checks. */
  health?(server: ServerContext): Awaitable<string | undefined>;
  /**
   * Finds a client that the model does not know, if the request contains no client secret. At most one feature of a server may have this
   * hook. `request` is undefined if no request of the client is being processed. CIMD §5
   */
  findClient?(clientId: string, server: ServerContext, request?: Request): Awaitable<CoreClient | Falsy>;
  /** Judges what a client says of itself as a whole, once each member is good; throws an OAuthError to refuse it. RFC 7591 §3.2.2 */
  verifyClientMetadata?(metadata: ClientMetadata, server: ServerContext): Awaitable<void>;
  /**
   * The parameters of an authorization request come from elsewhere: the request to be read in place of this one. Asked before
   * anything is read, so that an error is told to the browser; of two features one at most may answer. RFC 9126 §4
   */
  resolve?(request: Request, server: ServerContext): Awaitable<Resolved | void>;
  /**
   * Reads its parameters of an authorization request that is good so far; an error is told to the client. What it returns is
   * kept in `asked.data`, and with the code (or the token, where that is the answer) under these names.
   */
  ask?(parameters: Parameters, asked: AuthorizationRequest, server: ServerContext): Awaitable<object | void>;
  /** Once it is known who is signed in: what must happen before the request is decided; an error is told to the client. */
  prompt?(asked: AuthorizationRequest, presence: Presence, server: ServerContext): Awaitable<Need | void>;
  /** Judges and completes what is asked (`asked.data`) once its user is known: before they see it, and with the decision. RFC 9396 §7.1 */
  approve?(
    asked: AuthorizationRequest,
    by: { user: User; decision?: Decision },
    server: ServerContext,
  ): Awaitable<void>;
  /** Completes the parameters of an authorization answer that grants something; by then `asked.scope` is what is granted. */
  answer?(asked: AuthorizationRequest, user: User, said: Answer['parameters'], server: ServerContext): Awaitable<void>;
  /** Completes the parameters of an authorization request that its client pushes, before they are kept. RFC 9126 §2 */
  push?(exchange: ClientRequest, parameters: Record<string, string | readonly string[]>): Awaitable<void>;
  /** Judges a token request of an authenticated client, before anything is looked up or spent for it. */
  admit?(exchange: ClientRequest): Awaitable<void>;
  /** Judges and completes what the grant established (`exchange.authorization`), before anything is spent or minted. */
  issue?(exchange: ClientRequest): Awaitable<void>;
  /** Writes the text of an access token; undefined: it is opaque. One feature at most may have it. RFC 6749 §1.4 */
  format?(minted: Minted, server: ServerContext): Awaitable<string | undefined>;
  /** Completes the answer, `exchange.answer`. */
  respond?(exchange: ClientRequest, token: Token): Awaitable<void>;
  /** Judges a good token by the request that presents it, in any scheme; throws an OAuthError to refuse it. */
  present?(presented: Presented): Awaitable<void>;
  /** Parameters of the challenge to a request without a good token. RFC 6750 §3 */
  challenge?(refused: Refused): Readonly<Record<string, string>> | void;
  /** What it says of a token, in the members of RFC 7662 §2.2. */
  describe?(token: Token): object | void;
}

/** A place that answers requests. */
export type Endpoint = EndpointOf<ServerContext>;

/** One way for an authorization answer to travel. */
export type ResponseMode = ResponseModeOf<ServerContext>;

/** A token as it was presented. */
export type Presented = PresentedOf<ServerContext>;

/** A request to a protected resource that is turned away. */
export type Refused = RefusedOf<ServerContext>;

/** A feature with what it added to a server. */
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

/** A server as its features know it. */
export interface ServerContext extends OwnUrls, Capabilities {
  /** The options of the server, with their defaults. The model is among them. */
  readonly options: Options;
  /** All features. The features of RFC 6749 come first. */
  readonly features: readonly Feature[];
  /** All features, each with what it added to this server. */
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
  /** Their methods that a profile forbids. */
  readonly forbidden: ReadonlySet<string>;
  /** How tokens are presented, beside `Bearer`, with the parameters of a challenge for it. */
  readonly tokenSchemes: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The members of `cnf` that are verified. */
  readonly confirmationMethods: ReadonlySet<string>;
  /** The protected resources that this application is, as absolute URIs. */
  readonly resources: readonly string[];
}
