import type { OAuthError } from '../errors/index.js';
import type { Request } from '../http/request.js';
import type { AuthorizationCode, Client, CoreClient, ModelMethod, Scope, Token, User } from '../model/model.js';
import type { SignIn } from '../model/sign-in.js';
import type { Options } from '../options/resolve-options.js';
import type { Challenge } from './challenge.js';
import type { AuthorizationDetail } from './authorization-details.js';
import type { TokenFormat } from './token-format.js';
import type { DefaultResponseMode } from './response-mode.js';

/** Who asks, and where the answer may go: settled before anything is redirected. */
export interface Destination<C extends Client = CoreClient> {
  client: C;
  redirectUri: string;
  /** Did the request name the redirect URI? Then the token request must name it too. RFC 6749 §4.1.3 */
  redirectUriSent: boolean;
}

/** A whole authorization request, read and checked, not yet decided. RFC 6749 §4.1.1 */
export interface AuthorizationRequest<C extends Client = CoreClient> extends Destination<C>, Partial<Challenge> {
  responseType: string;
  /** How the answer travels: `query`, `fragment`, or as a feature has it. */
  responseMode: string;
  /** The requested scope values, separated by spaces. */
  requestedScope?: string;
  /** The part of the requested scope that the user would be granted, once the user is known. RFC 6749 §3.3 */
  grantableScope?: string;
  /** The scope that is granted, once the request is decided. RFC 6749 §3.3 */
  grantedScope?: string;
  state?: string;
  /** The issuer that is asked; left out where the host has named none. RFC 9207 §2 */
  issuer?: string;
  /** What features keep of it, with the code. */
  readonly data: Record<string, unknown>;
  /** Where its parameters stand. Not enumerable in what a host is handed, which may keep that in a session. */
  readonly request: Request;
}

/** The `responseType` of a request that a device makes: no browser brings it, and nothing is redirected. RFC 8628 §3.1 */
export const DEVICE_RESPONSE_TYPE = 'device_code';

/** What becomes of an authorization request. RFC 6749 §4.1.2 */
export type Decision<U extends User = User> =
  | {
      /** Who agreed to it. */
      user: U;
      /** The part of the scope they agreed to: what is more than they would be granted is left out. Left out: all of that. */
      scope?: Scope;
      /**
       * The authorization details they agreed to, of the types that were asked for: fewer, or with what they have chosen. Left out: all
       * that were asked. RFC 9396 §7.1
       */
      authorizationDetails?: readonly AuthorizationDetail[];
      /** How they signed in, kept with all that is issued. Left out: nothing is known of that. */
      signIn?: SignIn | undefined;
      error?: undefined;
    }
  | {
      /** What the client is told: `AccessDeniedError` where the user said no. */
      error: OAuthError;
      /** Who said no, where that is known: for the operator. */
      user?: U | undefined;
    };

/** A successful authorization response: its parameters, and the code or token that was saved for it. RFC 6749 §4.1.2, §4.2.2 */
export interface AuthorizationResponse {
  result: Partial<AuthorizationCode> | Token;
  parameters: Record<string, string>;
  /** The granted scope, for events. */
  scope?: Scope | undefined;
  grantId?: string | undefined;
}

/** The response types of a server, by `response_type`. */
export type ResponseTypes = ReadonlyMap<string, ResponseType>;

/** Returns the name of a response type at the server: the order of its values has no meaning. RFC 6749 §3.1.1 */
export const responseTypeName = (name: string, types: Pick<ResponseTypes, 'has'>): string =>
  types.has(name) || !name.includes(' ') ? name : name.split(' ').toSorted().join(' ');

/**
 * Returns the grant types that a client must be registered for to use a response type. OpenID Connect Registration §2
 */
export const requiredGrantTypes = ({
  grantType: grant,
  furtherGrantTypes: furtherGrants = [],
}: ResponseType): readonly string[] => [grant, ...furtherGrants];

/** The part of a server that a response type uses. */
export interface ResponseContext {
  readonly options: Options;
  /** Returns the text of an access token. `undefined`: access tokens are opaque. */
  readonly format: TokenFormat | undefined;
}

/** A response type of the authorization endpoint. RFC 6749 §3.1.1, §8.4 */
export interface ResponseType {
  /** The grant type that a client must be registered for. */
  readonly grantType: string;
  /** Further grant types that a client must be registered for. Default: none. */
  readonly furtherGrantTypes?: readonly string[];
  /** The default response mode. */
  readonly mode: DefaultResponseMode;
  /** Whether the client proves later, with a code verifier, that it is the client that sent the request. RFC 7636 */
  readonly supportsPkce: boolean;
  /** Model methods that the response type needs. */
  readonly requires: readonly ModelMethod[];
  /** Issues what `request.grantedScope` allows, and returns the parameters of the response. */
  respond(request: AuthorizationRequest, user: User, context: ResponseContext): Promise<AuthorizationResponse>;
}
