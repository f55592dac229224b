import { Parameters } from '../http/parameters.js';
import type { OwnUrls } from './own-urls.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { AuthorizationCode, CoreClient, RefreshToken, Token, User } from '../model/model.js';
import type { Options } from '../options/settle.js';
import type { AuthorizationDetail } from './authorization-details.js';
import type { Authorization } from './authorization.js';

// oxlint-disable-next-line no-explicit-any
type Kept = Readonly<Record<string, any>>;

/** What a grant was established from, besides a code or a refresh token, and the limits that follow from it. */
export interface GrantSource {
  /** The stored token that is exchanged, as the model found it. If omitted, another server has issued what the client presents. */
  readonly record?: (Token | RefreshToken) & Kept;
  /** The resources that the token may be for at most. An empty list sets no limit. RFC 8707 §2 */
  readonly resources: readonly string[];
  /** The resources that the request names. If omitted, the parameter `resource` names them. */
  readonly requested?: readonly string[];
  /** The authorization details that may be granted at most. If omitted, those of `record`; without one there is no limit. RFC 9396 §6 */
  readonly details?: readonly AuthorizationDetail[] | undefined;
  /** Whether another server has granted the details, so that this server must validate them. */
  readonly isAsserted?: boolean;
}

/** A request of a client that said, and mostly proved, who it is, on its way through the features. RFC 6749 §3.2 */
export class ClientRequest {
  /** What a grant established, once it has: the features of the server may judge it. */
  authorization?: Authorization;
  /** The authorization code or device code that is redeemed, as the model found it, with what features store there. */
  code?: Pick<AuthorizationCode, 'client' | 'scope'> & { user?: User } & Kept;
  /** The refresh token that is used, as the model found it, with what features keep there. */
  refreshToken?: RefreshToken & Kept;
  /** What the grant was established from, if that is neither a code nor a refresh token. */
  source?: GrantSource;
  /** More to save with the token; never sent. */
  readonly token: Record<string, unknown> = {};
  /** More to say in the answer; never saved. */
  readonly answer: Record<string, unknown> = {};
  private read: Parameters | undefined;
  private state: Map<string, unknown> | undefined;

  constructor(
    readonly request: Request,
    readonly response: Response,
    readonly options: Options,
    /** The issuer that is asked; undefined where the host has named none. */
    readonly issuer: string | undefined,
    readonly client: CoreClient,
    /** How the client proved itself: `client_secret_basic`, `client_secret_post`, … or `none`. RFC 7591 §2 */
    readonly proof: string,
    readonly server: OwnUrls,
  ) {}

  /** The parameters of its form. */
  get parameters(): Parameters {
    return (this.read ??= new Parameters(this.request));
  }

  /** Returns what a feature has stored for this request. */
  get<T>(key: StateKey<T>): T | undefined {
    return this.state?.get(key.name) as T | undefined;
  }

  /** Stores something for this request. */
  set<T>(key: StateKey<T>, value: T): void {
    (this.state ??= new Map()).set(key.name, value);
  }
}

/** A typed key for what a feature stores with a request while it is processed. */
export interface StateKey<T> {
  readonly name: string;
  /** Only for the type: never set. */
  readonly type?: T;
}

/** Returns a key for what a feature stores with a request. */
export const stateKey = <T>(name: string): StateKey<T> => ({ name });
