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
 * The hooks of a feature for authorization requests. A hook never reads values that the same hook of another feature
 * writes, so the order of features does not matter.
 */
export interface AuthorizationHooks {
  /**
   * Returns the request to process instead of this one, if the parameters are stored elsewhere, such as pushed ones. It
   * runs first, so its errors are rendered as an error page. At most one feature may return a request. RFC 9126 §4
   */
  resolve?(request: Request): Awaitable<ResolvedRequest | void>;
  /**
   * Reads the feature's parameters from a request that is valid so far. Errors are returned to the client. The members
   * of the returned object are stored in `request.data` and with the code or token that is issued.
   */
  read?(parameters: Parameters, request: AuthorizationRequest): Awaitable<object | void>;
  /**
   * Returns the interaction that is required before the request is decided, such as a login. Errors are returned to the
   * client.
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
  /** Adds parameters to a successful authorization response. `request.grantedScope` is the granted scope. */
  respond?(request: AuthorizationRequest, user: User, parameters: AuthorizationResponse['parameters']): Awaitable<void>;
}

/** The hooks of a feature for pushed authorization requests. */
export interface PushedRequestHooks {
  /** Adds parameters to a pushed authorization request before it is stored. RFC 9126 §2 */
  complete?(request: ClientRequest, parameters: Record<string, string | readonly string[]>): Awaitable<void>;
}

/** The hooks of a feature for token requests. */
export interface TokenHooks {
  /** Validates the token request of an authenticated client, before the grant is looked up or consumed. */
  admit?(request: ClientRequest): Awaitable<void>;
  /** Validates and completes `request.authorization` before anything is consumed and before a token is created. */
  issue?(request: ClientRequest): Awaitable<void>;
  /**
   * Returns the text of an access token, or `undefined` for an opaque token. Only one feature of a server may have this
   * hook. RFC 6749 §1.4
   */
  format?(minted: MintedToken): Awaitable<string | undefined>;
  /** Adds members to the token response by setting them in `request.responseMembers`. */
  respond?(request: ClientRequest, token: Token): Awaitable<void>;
  /** Returns members to add to the introspection response of a token. RFC 7662 §2.2 */
  describe?(token: Token): object | void;
}

/** The hooks of a feature for requests to protected resources. */
export interface ResourceHooksOf<Server> {
  /**
   * Validates an access token that is valid so far against the request that presents it. It runs for every
   * authentication scheme.
   * @throws {OAuthError} To reject the request.
   */
  verify?(presented: PresentedTokenOf<Server>): Awaitable<void>;
  /** Returns parameters of the `WWW-Authenticate` challenge for a rejected request. RFC 6750 §3 */
  challenge?(rejected: RejectedRequestOf<Server>): Readonly<Record<string, string>> | void;
}

/** The hooks of a feature for client lookup and client metadata. */
export interface ClientHooks {
  /**
   * Finds a client that the model does not know. It is not called if the request contains a client secret. Only one
   * feature of a server may have this hook. `request` is omitted outside of a request of the client. CIMD §5
   */
  find?(clientId: string, request?: Request): Awaitable<CoreClient | Falsy>;
  /**
   * Validates client metadata as a whole, after each member was validated.
   * @throws {OAuthError} To reject the metadata. RFC 7591 §3.2.2
   */
  verifyMetadata?(metadata: ClientMetadata): Awaitable<void>;
}

/** The functions of all features for each hook of a group, in the order of the features. Most lists are empty. */
export type HookLists<Hooks> = { readonly [H in keyof Hooks]-?: readonly NonNullable<Hooks[H]>[] };
