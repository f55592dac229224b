import type { OAuthError } from '../errors/index.js';
import type { Request } from '../http/request.js';
import type {
  AuthorizationCode,
  Awaitable,
  Client,
  CoreClient,
  ModelMethod,
  Scope,
  Token,
  User,
} from '../model/model.js';
import type { SignIn } from '../model/sign-in.js';
import type { Options } from '../options/resolve-options.js';
import type { Challenge } from './challenge.js';
import type { AuthorizationDetail } from './authorization-details.js';
import type { TokenFormat } from './token-format.js';
import type { DefaultResponseMode } from './response-mode.js';

/**
 * The client of an authorization request and its verified redirect URI. Both are verified before the browser is
 * redirected.
 */
export interface Destination<C extends Client = CoreClient> {
  client: C;
  redirectUri: string;
  /** Whether the request contained `redirect_uri`. If so, the token request must contain it too. RFC 6749 §4.1.3 */
  redirectUriSent: boolean;
}

/** A validated authorization request that is not decided yet. RFC 6749 §4.1.1 */
export interface AuthorizationRequest<C extends Client = CoreClient> extends Destination<C>, Partial<Challenge> {
  responseType: string;
  /** How the response is sent: `query`, `fragment`, or a response mode of a feature. */
  responseMode: string;
  /** The requested scope values, separated by spaces. */
  requestedScope?: string;
  /**
   * The part of the requested scope that this user would be granted, as values separated by spaces. It is set once the
   * user is known. RFC 6749 §3.3
   */
  grantableScope?: string;
  /** The granted scope, as values separated by spaces. It is set once the request is granted. RFC 6749 §3.3 */
  grantedScope?: string;
  state?: string;
  /** The issuer of the server for this request. Omitted if the option `issuer` is not set. RFC 9207 §2 */
  issuer?: string;
  /** The members that features read from the request, such as `nonce`. They are stored with the code or token. */
  readonly data: Record<string, unknown>;
  /**
   * The HTTP request with the parameters. It is not enumerable in the objects that applications receive, so that they
   * can be stored in a session.
   */
  readonly request: Request;
}

/** The `responseType` of a device authorization request, which involves no browser and no redirect. RFC 8628 §3.1 */
export const DEVICE_RESPONSE_TYPE = 'device_code';

/**
 * The decision on an authorization request: the user consents to it, or it is rejected with an error. RFC 6749 §4.1.2
 */
export type Decision<U extends User = User> =
  | {
      /** The user who consents to the request. */
      user: U;
      /**
       * The scope that the user consents to. Values beyond the grantable scope are ignored. If omitted, the whole
       * grantable scope.
       */
      scope?: Scope;
      /**
       * The authorization details that the user consents to, of the requested types. They may be fewer than requested,
       * or completed by the user's choices. If omitted, all requested details. RFC 9396 §7.1
       */
      authorizationDetails?: readonly AuthorizationDetail[];
      /**
       * How the user signed in. It is stored with the issued codes and tokens. If omitted, no information about the
       * login is stored.
       */
      signIn?: SignIn | undefined;
      /**
       * What the user has chosen for this request, by name, such as the `organization`. The hook `approve` of the
       * feature that offers the choice validates it. If omitted, nothing was chosen.
       */
      choices?: Readonly<Record<string, string>> | undefined;
      /**
       * Returns whether the user is still signed in. It is called once the code or token is saved: if the user was signed
       * out meanwhile, its grant is revoked, and the client gets `login_required`. If omitted, it is not verified.
       */
      isSignedIn?: (() => Awaitable<boolean>) | undefined;
      error?: undefined;
    }
  | {
      /** The error that is returned to the client, such as `AccessDeniedError` if the user denied the request. */
      error: OAuthError;
      /** The user who denied the request, if known. For events and the log only. */
      user?: U | undefined;
    };

/**
 * A successful authorization response: its parameters, and the code or token that was saved for it.
 * RFC 6749 §4.1.2, §4.2.2
 */
export interface AuthorizationResponse {
  result: Partial<AuthorizationCode> | Token;
  parameters: Record<string, string>;
  /** The granted scope, for events. */
  scope?: Scope | undefined;
  grantId?: string | undefined;
}

/** The response types of a server, by `response_type`. */
export type ResponseTypes = ReadonlyMap<string, ResponseType>;

/**
 * Returns the name under which the server lists a response type. The order of space-separated values does not matter.
 * RFC 6749 §3.1.1
 */
export const responseTypeName = (name: string, types: Pick<ResponseTypes, 'has'>): string =>
  types.has(name) || !name.includes(' ') ? name : name.split(' ').toSorted().join(' ');

/**
 * Returns the grant types that a client must be registered for to use a response type. OpenID Connect Registration §2
 */
export const requiredGrantTypes = ({ grantType, furtherGrantTypes = [] }: ResponseType): readonly string[] => [
  grantType,
  ...furtherGrantTypes,
];

/** The part of a server that a response type uses. */
export interface ResponseContext {
  readonly options: Options;
  /** Writes the text of access tokens. `undefined` if access tokens are opaque. */
  readonly format: TokenFormat | undefined;
}

/** A response type of the authorization endpoint. RFC 6749 §3.1.1, §8.4 */
export interface ResponseType {
  /** A grant type that a client must be registered for to use this response type. */
  readonly grantType: string;
  /** Further grant types that a client must be registered for to use this response type. Default: none. */
  readonly furtherGrantTypes?: readonly string[];
  /** The response mode that is used if the request contains no `response_mode`. */
  readonly mode: DefaultResponseMode;
  /**
   * Whether the response contains a code, so that the client can prove with a PKCE code verifier that it sent the
   * request. RFC 7636
   */
  readonly supportsPkce: boolean;
  /** The names of the model methods that the response type needs. */
  readonly requires: readonly ModelMethod[];
  /** Issues a code or token for `request.grantedScope`, and returns the parameters of the response. */
  respond(request: AuthorizationRequest, user: User, context: ResponseContext): Promise<AuthorizationResponse>;
}
