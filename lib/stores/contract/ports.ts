import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { Awaitable, Client, Falsy, Scope, User } from '../../model/model.js';

/**
 * The hash of a client secret with its creation and expiry times. A hash without times can be stored as a string and
 * never expires.
 */
export interface SecretHash {
  /** The result of `newClientSecret()` or `hashSecret()`. */
  hash: string;
  /** When the secret was created, in milliseconds since the epoch. If omitted, this is unknown. */
  createdAt?: number;
  /**
   * When the secret expires, in milliseconds since the epoch, by the clock of the database. If omitted, it never
   * expires. RFC 7591 §3.2.1 (`client_secret_expires_at`)
   */
  expiresAt?: number;
}

/** A client of a store, with its secrets and the scopes that it may request. */
export interface StoredClient extends Client {
  /** The name that users see. RFC 7591 §2 (`client_name`) */
  name?: string;
  /**
   * The secret in plain text, or a list during a rotation. It is stored only as a hash, or encrypted for
   * `client_secret_jwt`. At most five secrets.
   */
  secret?: string | readonly string[];
  /** The results of `newClientSecret()` or `hashSecret()` for each secret, the newest first. At most five secrets. */
  secretHashes?: readonly (string | SecretHash)[];
  /** The scope values that the client may request. If omitted, it may request none. */
  scopes?: readonly string[];
  /**
   * The scope that the client gets if a request has no `scope`. An empty string: tokens without a scope. If omitted, a
   * client with `scopes` must send `scope` in each request. RFC 6749 §3.3
   */
  defaultScope?: Scope;
  /**
   * When users are asked for consent. `'never'`: for your own applications. `'once'`: only again if the request exceeds
   * the earlier consent. `'always'`: for every request. Default: `'once'`, but `'always'` for a client that other apps
   * could impersonate, which is a public client whose redirect URI is not https. RFC 8252 §8.6
   */
  consent?: 'never' | 'once' | 'always';
  /**
   * When the client was disabled. If omitted, the client is enabled. `disableClient()` and `enableClient()` change it,
   * `saveClient()` does not.
   */
  disabledAt?: Date | string | number | null;
  /** The client metadata, if the client registered itself or comes from a client ID metadata document. RFC 7591 §2 */
  metadata?: ClientMetadata;
  /**
   * Set for a client that registered itself: the time of its registration, in milliseconds since the epoch, and the
   * SHA-256 of its registration access token. RFC 7592 §1.2
   */
  registration?: { issuedAt: number; tokenHash: string };
  /**
   * When a client that registered itself expires unless it is used before, in milliseconds since the epoch. Set by the
   * store, and omitted for all other clients.
   */
  expiresIfUnusedAt?: number;
}

/** Finds clients in a list or table of the application. If a store gets no such object, it stores clients itself. */
export interface Clients {
  /** Finds a client by its exact ID. Returns a falsy value if it does not exist. */
  findById(id: string): Awaitable<StoredClient | Falsy>;
  /**
   * Replaces the hash of a client secret with a hash of higher cost. The store calls it after it has verified a secret
   * with an outdated hash. If omitted, outdated hashes stay.
   */
  replaceSecretHash?(id: string, old: string, replacement: string): Awaitable<unknown>;
}

/**
 * Finds users in a table of the application. Users must have an `id`. To let users sign in with a password, implement
 * `findByUsername()` and `verifyPassword()`.
 */
export interface Users {
  /**
   * Finds a user by the name that was typed, before the password is verified. So the limits of sign-ins count the
   * account that was found. Returns a falsy value if the user does not exist. Compare names exactly.
   */
  findByUsername?(username: string): Awaitable<User | Falsy>;
  /**
   * Returns whether a password is that of a user. `user` is `undefined` if no user was found: compute a hash
   * then too, so that the time does not reveal which users exist. `verifyPassword()` of the library does so without a
   * stored hash. At most two calls run at a time, and the networks of the browsers take turns.
   */
  verifyPassword?(user: User | undefined, password: string): Awaitable<boolean>;
  /**
   * Finds the user with this username and password. Returns a falsy value if they are wrong. It is called only if
   * `findByUsername()` or `verifyPassword()` is missing. The limits of sign-ins then count the typed name.
   */
  findByCredentials?(username: string, password: string): Awaitable<User | Falsy>;
  /** Finds a user by ID, whenever a session or token is used. Returns a falsy value if the user does not exist. */
  findById(id: string): Awaitable<User | Falsy>;
  /**
   * Returns a value that changes with the password of a user, such as the password hash or a counter. If the value
   * changes, all grants and sessions of the user end. If this method is omitted, a new password ends nothing.
   */
  credentialOf?(user: User): string | number | null | undefined;
}
