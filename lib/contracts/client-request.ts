import { Parameters } from '../http/parameters.js';
import type { OwnUrls } from './own-urls.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { AuthorizationCode, CoreClient, RefreshToken, Token, User } from '../model/model.js';
import type { Options } from '../options/resolve-options.js';
import type { AuthorizationDetail } from './authorization-details.js';
import type { Authorization } from './authorization.js';

// oxlint-disable-next-line no-explicit-any
type StoredMembers = Readonly<Record<string, any>>;

/**
 * Where the authorization comes from if a grant redeems another token or an assertion, such as token exchange, and the
 * limits that follow from it.
 */
export interface GrantSource {
  /**
   * The stored token that is exchanged, as returned by the model. If omitted, another server issued the presented
   * token.
   */
  readonly record?: (Token | RefreshToken) & StoredMembers;
  /** The resources to which the new token is limited. An empty list sets no limit. RFC 8707 §2 */
  readonly resources: readonly string[];
  /** The resources that the client requests. If omitted, they are read from the request parameter `resource`. */
  readonly requestedResources?: readonly string[];
  /**
   * The authorization details that may be granted. If omitted, those of `record` apply. Without a record, there is no
   * limit. RFC 9396 §6
   */
  readonly details?: readonly AuthorizationDetail[] | undefined;
  /** Whether another server granted the authorization details. If so, this server must validate them. */
  readonly isExternal?: boolean;
}

/**
 * A request of a client at a back-channel endpoint, such as the token endpoint, after client authentication. All
 * features read and complete it. RFC 6749 §3.2
 */
export class ClientRequest {
  /** The authorization that the grant established. Features validate and complete it before a token is issued. */
  authorization?: Authorization;
  /**
   * The authorization code, device code or CIBA request that is redeemed, as returned by the model, with the members that features
   * stored in it.
   */
  code?: Pick<AuthorizationCode, 'client' | 'scope'> & { user?: User } & StoredMembers;
  /** The refresh token that is used, as returned by the model, with the members that features stored in it. */
  refreshToken?: RefreshToken & StoredMembers;
  /**
   * Where the authorization comes from if the grant redeems another token or an assertion, such as token exchange.
   * `undefined` for other grants.
   */
  source?: GrantSource;
  /** Members to save with the token, by name. They are not added to the response. */
  readonly tokenMembers: Record<string, unknown> = {};
  /** Members to add to the response, by name. They are not saved. */
  readonly responseMembers: Record<string, unknown> = {};
  private parsedParameters: Parameters | undefined;
  private stateValues: Map<string, unknown> | undefined;

  constructor(
    readonly request: Request,
    readonly response: Response,
    readonly options: Options,
    /** The issuer of the server for this request. `undefined` if the option `issuer` is not set. */
    readonly issuer: string | undefined,
    readonly client: CoreClient,
    /** The client authentication method: `client_secret_basic`, `client_secret_post`, … or `none`. RFC 7591 §2 */
    readonly authenticationMethod: string,
    readonly server: OwnUrls,
  ) {}

  /** The parameters in the form body. */
  get parameters(): Parameters {
    return (this.parsedParameters ??= new Parameters(this.request));
  }

  /**
   * Returns the value that a feature stored with this request under the state key, or `undefined` if none was stored.
   */
  get<T>(key: StateKey<T>): T | undefined {
    return this.stateValues?.get(key.name) as T | undefined;
  }

  /** Stores a value with this request under the state key, until the request ends. It replaces an earlier value. */
  set<T>(key: StateKey<T>, value: T): void {
    (this.stateValues ??= new Map()).set(key.name, value);
  }
}

/** A typed state key, under which a feature stores a value with a `ClientRequest` while it is processed. */
export interface StateKey<T> {
  readonly name: string;
  /** Carries the type only. It is never set. */
  readonly type?: T;
}

/** Returns a typed state key, under which a feature stores a value with a `ClientRequest`. */
export const stateKey = <T>(name: string): StateKey<T> => ({ name });
