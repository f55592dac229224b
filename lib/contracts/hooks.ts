import type { Parameters } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import type { Awaitable, CoreClient, Falsy, Token, User } from '../model/model.js';
import type { ClientMetadata } from './client-metadata.js';
import type { ClientRequest } from './client-request.js';
import type { PresentedTokenOf, RejectedRequestOf } from './presented-token.js';
import type { RequiredInteraction, AuthenticationState } from './required-interaction.js';
import type { ResolvedRequest } from './resolved-request.js';
import type { AuthorizationRequest, AuthorizationResponse, Decision } from './response-type.js';
import type { MintedToken } from './token-format.js';

/**
 * The hooks by which a feature takes part in authorization requests: it reads parameters, requires interactions, and
 * adds to the response. A hook never reads values that the same hook of another feature writes, so the order of
 * features does not matter.
 */
export interface AuthorizationHooks {
  /**
   * Returns the authorization request to process instead of this one, such as a pushed request or a request object.
   * Returns nothing for any other request. It runs first, so its errors are rendered as an error page. At most one
   * feature may return a request. RFC 9126 §4
   */
  resolve?(request: Request): Awaitable<ResolvedRequest | void>;
  /**
   * Reads the feature's parameters from a request that is valid so far. Errors are returned to the client. The members
   * of the returned object are stored in `request.data` and with the code or token that is issued.
   */
  read?(parameters: Parameters, request: AuthorizationRequest): Awaitable<object | void>;
  /**
   * Returns the interaction that the feature requires before the request is decided, such as a login. Nothing if it
   * requires none. Errors are returned to the client.
   */
  requireInteraction?(
    request: AuthorizationRequest,
    authentication: AuthenticationState,
  ): Awaitable<RequiredInteraction | void>;
  /**
   * Validates and completes `request.data` for a known user. It runs before the user sees the request, and again with
   * the decision. RFC 9396 §7.1
   */
  approve?(request: AuthorizationRequest, by: { user: User; decision?: Decision }): Awaitable<void>;
  /**
   * Adds parameters to a successful authorization response by setting them in `parameters`. `request.grantedScope` is
   * the granted scope.
   */
  respond?(request: AuthorizationRequest, user: User, parameters: AuthorizationResponse['parameters']): Awaitable<void>;
}

/**
 * The hooks by which any feature validates or extends pushed authorization requests before `pushedRequests()` stores
 * them. RFC 9126 §2
 */
export interface PushedRequestHooks {
  /**
   * Validates a pushed authorization request, or adds parameters to it, before it is stored. An error rejects the
   * request. RFC 9126 §2
   */
  complete?(request: ClientRequest, parameters: Record<string, string | readonly string[]>): Awaitable<void>;
}

/**
 * The hooks by which a feature validates token requests, and adds members to tokens and to token and introspection
 * responses.
 */
export interface TokenHooks {
  /**
   * Validates the token request of an authenticated client, before the grant is looked up or consumed. An error rejects
   * the request.
   */
  admit?(request: ClientRequest): Awaitable<void>;
  /**
   * Validates and completes `request.authorization` before a code or refresh token is consumed and before a token is
   * created. An error rejects the request.
   */
  issue?(request: ClientRequest): Awaitable<void>;
  /**
   * Returns the text of an access token, or `undefined` for an opaque token. Only one feature of a server may have this
   * hook. RFC 6749 §1.4
   */
  format?(minted: MintedToken): Awaitable<string | undefined>;
  /** Adds members to the token response by setting them in `request.responseMembers`. */
  respond?(request: ClientRequest, token: Token): Awaitable<void>;
  /** Returns members to add to the introspection response of a token, and to a JWT access token. RFC 7662 §2.2 */
  describe?(token: Token): object | void;
  /**
   * Returns claims to add to ID tokens and userinfo responses, from the members that features stored with the code or
   * token. OpenID Connect Core 1.0 §2, §5.3.2
   */
  identify?(stored: Readonly<Record<string, unknown>>): object | void;
}

/**
 * The hooks by which a feature validates access tokens at protected resources, and adds parameters to the challenge of
 * rejected requests.
 */
export interface ResourceHooksOf<Server> {
  /**
   * Validates a request to a protected resource before its token is read, for example its `Origin`. It must be
   * synchronous, and cheap, because the request is not authenticated yet.
   * @throws {OAuthError} To reject the request. The response has no `WWW-Authenticate` challenge.
   */
  admit?(request: Request, server: Server): void;
  /**
   * Validates an access token against the request that presents it, after the built-in checks such as expiry. It runs
   * for every authentication scheme, including `Bearer`. While a connection stays open, it is called again with the
   * request that opened the connection, so it must consume a proof only once for each request.
   * @throws {OAuthError} To reject the request.
   */
  verify?(presented: PresentedTokenOf<Server>): Awaitable<void>;
  /** Returns parameters of the `WWW-Authenticate` challenge for a rejected request. RFC 6750 §3 */
  challenge?(rejected: RejectedRequestOf<Server>): Readonly<Record<string, string>> | void;
}

/** The hooks by which a feature finds clients that the model does not know, and validates client metadata. */
export interface ClientHooks {
  /**
   * Finds a client that the model does not know. It is not called if the request contains a client secret. Only one
   * feature of a server may have this hook. CIMD §5
   * @param request The request of the client. Omitted if the client is not looked up for a request.
   */
  find?(clientId: string, request?: Request): Awaitable<CoreClient | Falsy>;
  /**
   * Validates client metadata as a whole, after each member was validated.
   * @throws {OAuthError} To reject the metadata. RFC 7591 §3.2.2
   */
  verifyMetadata?(metadata: ClientMetadata): Awaitable<void>;
}

/**
 * The functions of all features for each hook of a group, in the order of the features. A hook that no feature has is
 * an empty list.
 */
export type HookLists<Hooks> = { readonly [H in keyof Hooks]-?: readonly NonNullable<Hooks[H]>[] };
