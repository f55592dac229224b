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
 * The hooks of a feature for authorization requests. A hook never reads values that the same hook of another feature writes:
 * the order of features has no effect.
 */
export interface AuthorizationHooks {
  /**
   * Returns the request to be read in place of this one, if its parameters are elsewhere. Runs before anything is read, so errors are
   * rendered as an error page. At most one feature may return a request. RFC 9126 §4
   */
  resolve?(request: Request): Awaitable<ResolvedRequest | void>;
  /**
   * Reads the parameters of the feature from a request that is valid so far. Errors are returned to the client. The members of the
   * returned object are stored in `request.data` and with the code or token that is issued.
   */
  read?(parameters: Parameters, request: AuthorizationRequest): Awaitable<object | void>;
  /** Returns what must happen before the request is decided, given who is signed in. Errors are returned to the client. */
  requireInteraction?(
    request: AuthorizationRequest,
    authentication: AuthenticationState,
  ): Awaitable<RequiredInteraction | void>;
  /**
   * Validates and completes `request.data` once the user is known: before the user sees the request, and with the decision.
   * RFC 9396 §7.1
   */
  approve?(request: AuthorizationRequest, by: { user: User; decision?: Decision }): Awaitable<void>;
  /** Completes the parameters of a successful authorization response. `request.grantedScope` is the granted scope. */
  respond?(request: AuthorizationRequest, user: User, parameters: AuthorizationResponse['parameters']): Awaitable<void>;
}

/** The hooks of a feature for pushed authorization requests. */
export interface PushedRequestHooks {
  /** Completes the parameters of a pushed authorization request before it is stored. RFC 9126 §2 */
  complete?(request: ClientRequest, parameters: Record<string, string | readonly string[]>): Awaitable<void>;
}

/** The hooks of a feature for token requests. */
export interface TokenHooks {
  /** Validates a token request of an authenticated client, before anything is looked up or consumed for it. */
  admit?(request: ClientRequest): Awaitable<void>;
  /** Validates and completes `request.authorization`, before anything is consumed or minted. */
  issue?(request: ClientRequest): Awaitable<void>;
  /** Returns the text of an access token. `undefined`: the token is opaque. At most one feature of a server may have it. RFC 6749 §1.4 */
  format?(minted: MintedToken): Awaitable<string | undefined>;
  /** Completes the token response, `request.answer`. */
  respond?(request: ClientRequest, token: Token): Awaitable<void>;
  /** Returns members of the introspection response of a token. RFC 7662 §2.2 */
  describe?(token: Token): object | void;
}

/** The hooks of a feature for requests to protected resources. */
export interface ResourceHooksOf<Server> {
  /**
   * Validates a token that is valid so far against the request that presents it, in any scheme.
   * @throws {OAuthError} To refuse the request.
   */
  verify?(presented: PresentedTokenOf<Server>): Awaitable<void>;
  /** Returns parameters of the challenge to a request without a valid token. RFC 6750 §3 */
  challenge?(rejected: RejectedRequestOf<Server>): Readonly<Record<string, string>> | void;
}

/** The hooks of a feature for the clients of a server. */
export interface ClientHooks {
  /**
   * Finds a client that the model does not know, if the request contains no client secret. At most one feature of a server may have this
   * hook. `request` is undefined if no request of the client is being processed. CIMD §5
   */
  find?(clientId: string, request?: Request): Awaitable<CoreClient | Falsy>;
  /**
   * Validates client metadata as a whole, after each member was found valid.
   * @throws {OAuthError} To refuse the metadata. RFC 7591 §3.2.2
   */
  verifyMetadata?(metadata: ClientMetadata): Awaitable<void>;
}

/** The functions of all features for each hook of a group, in the order of the features. Most lists are empty. */
export type HookLists<Hooks> = { readonly [H in keyof Hooks]-?: readonly NonNullable<Hooks[H]>[] };
