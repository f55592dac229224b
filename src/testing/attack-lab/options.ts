import type { Awaitable } from '../../../lib/index.js';
import type { LabBrowser } from './browser.js';
import type { LabResponse } from './wire.js';

/** A client that the lab creates, with the fields of `StoredClient`. */
export interface NewLabClient {
  id: string;
  name: string;
  secret?: string;
  grants: readonly string[];
  redirectUris: readonly string[];
  scopes: readonly string[];
  tokenEndpointAuthMethod?: string;
  [field: string]: unknown;
}

/** A client that exists, for applications in which the lab cannot create clients. */
export interface ExistingLabClient {
  id: string;
  /** If omitted, the client is public. */
  secret?: string;
  grants: readonly string[];
  redirectUri: string;
  scopes: readonly string[];
}

/** Creates and removes the clients of the lab. */
export interface LabClientSource {
  create(client: NewLabClient): Awaitable<unknown>;
  /** Removes a client with everything that was issued to it. */
  remove(id: string): Awaitable<unknown>;
}

/** A route that requires an access token. */
export interface GuardedRoute {
  path: string;
  /** Default: `GET`. */
  method?: string;
}

/** A user who signs in at the login page of the application. */
export interface LabUser {
  username: string;
  password: string;
}

/** The organizations of the user of `signIn`, for `organizations` of `pages()`. */
export interface LabOrganizations {
  /** The ID of an organization to which the user does not belong. */
  other: string;
  /** Removes the user from all organizations. */
  leave(): Awaitable<unknown>;
  /** Adds the user to the organizations again. */
  rejoin(): Awaitable<unknown>;
}

/** A provider of `upstreams()`, such as a stand-in for tests. */
export interface LabUpstream {
  /** The name in the option `providers`. */
  provider: string;
  /**
   * Signs a user in at the provider, and returns the URL to which the provider sends the browser. The user is always the
   * same one, who is not the user of `signIn`. With an `email`, the ID token contains it with `email_verified: false`.
   * @param url the authorization request
   */
  signIn(url: string, email?: string): Awaitable<string>;
  /** Returns a new logout token of the provider. If omitted, logout tokens are not attacked. */
  logoutToken?(): Awaitable<string>;
}

/** The options of `attackLab()`. */
export interface AttackLabOptions {
  /**
   * How a user signs in: the name and the password for the login page of the application, or a function that signs the
   * user in in a browser of the lab. `false` skips all attacks that need a user. Required if the server supports the
   * authorization code grant.
   */
  signIn?: LabUser | ((browser: LabBrowser) => Awaitable<unknown>) | false;
  /**
   * Allows access on a consent page of your own, and returns the response to its form. If omitted, the lab sends the
   * form with the button `decision` and the value `allow`.
   */
  consent?: (page: LabResponse, browser: LabBrowser) => Awaitable<LabResponse>;
  /**
   * A route with `OAuthGuard` to which an access token of the client and user gives access, such as `/api/notes`. If
   * omitted, the UserInfo endpoint or the resource that the server declares.
   */
  guarded?: string | GuardedRoute;
  /** Paths of your own pages with forms that need a signed-in user, such as `/settings`. */
  pages?: readonly string[];
  /** The scope values of the lab's clients. If omitted, those that the server publishes or `guarded` requires. */
  scopes?: readonly string[];
  /** The `resource` of tokens for the guarded route. If omitted, the resource that the server declares. RFC 8707 */
  resource?: string;
  /**
   * How the lab creates its clients, or two confidential clients and one public client that exist. If omitted, the
   * model creates and removes them.
   */
  clients?: LabClientSource | readonly ExistingLabClient[];
  /** The `name` of the server, in an application with several servers. If omitted, the default server. */
  server?: string;
  /** The tenant to attack, in an application with tenants. */
  tenant?: string;
  /** Another tenant. Its data must be out of reach for the users and clients of `tenant`. */
  otherTenant?: string;
  /** Another user with another password, from whom the account of the user of `signIn` must be out of reach. */
  otherUser?: LabUser;
  /** A user whose account has a second factor, which the lab does not have. */
  secondFactorUser?: LabUser;
  /** The organizations of the user of `signIn`. By default, the lab requests an organization that does not exist. */
  organizations?: LabOrganizations;
  /** A provider with which users sign in. */
  upstream?: LabUpstream;
  /** The path of a WebSocket gateway with `OAuthGuard` that accepts login sessions, such as `/`. */
  gateway?: string;
  /** Takes a backup of the database and restores it, with all steps of your own instructions for a restore. */
  snapshot?: { take(): Awaitable<unknown>; restore(backup: unknown): Awaitable<unknown> };
  /** The IDs of the attacks to run. If omitted, all. */
  only?: readonly string[];
  /** The IDs of attacks that are not run, each with the reason. */
  skip?: Readonly<Record<string, string>>;
  /**
   * A number that determines the values that the lab chooses at a new store. Further runs at the store use other
   * values. Default: `1`.
   */
  seed?: number;
  /** Number of concurrent requests in a race, 2 to 200. Default: `200`. */
  callers?: number;
  /** Milliseconds to wait for a response. Default: `30000`, because the computers of a CI service are often busy. */
  patience?: number;
  /** Maximum seconds for all attacks. Attacks that did not run by then are reported as inconclusive. Default: `100`. */
  timeLimit?: number;
}
