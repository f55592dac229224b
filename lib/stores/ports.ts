import type { ClientMetadata } from '../contracts/client-metadata.js';
import type { Awaitable, Client, Falsy, Scope, User } from '../model/model.js';

/** A stored client secret with its times. A hash without times is stored as a string and never expires. */
export interface SecretHash {
  /** The hash that `newClientSecret()` or `hashSecret()` returned. */
  hash: string;
  /** When the secret was created, in milliseconds since the epoch. */
  createdAt?: number;
  /**
   * When the secret expires, in milliseconds since the epoch, by the clock of the database. If omitted, it never
   * expires. RFC 7591 §3.2.1 (`client_secret_expires_at`)
   */
  expiresAt?: number;
}

/** A client as a store saves it, with its secrets and the scopes it may request. */
export interface StoredClient extends Client {
  /** The name that users see. RFC 7591 §2 (`client_name`) */
  name?: string;
  /** The secret in plain text, or several during a rotation. The store saves only hashes. At most five secrets. */
  secret?: string | readonly string[];
  /** Hashes that `newClientSecret()` or `hashSecret()` returned, the newest first. At most five secrets. */
  secretHashes?: readonly (string | SecretHash)[];
  /** The scopes that the client may request. If omitted, none. */
  scopes?: readonly string[];
  /**
   * The scope of requests without `scope`. An empty string means tokens without a scope. If omitted, a client with
   * `scopes` must send `scope` in each request. RFC 6749 §3.3
   */
  defaultScope?: Scope;
  /**
   * When users are asked for consent. `'never'`: for your own applications. `'once'`: and again for a larger scope.
   * `'always'`: for every request. Default: `'once'`, but `'always'` for a client that other apps could impersonate: a
   * public client whose redirect URI is not https. RFC 8252 §8.6
   */
  consent?: 'never' | 'once' | 'always';
  /** When the client was disabled. If omitted, it is enabled. `disableClient()` sets it, `saveClient()` does not change it. */
  retiredAt?: Date | string | number | null;
  /** The client metadata, if the client registered itself or a client ID metadata document describes it. RFC 7591 §2 */
  metadata?: ClientMetadata;
  /**
   * When the client registered itself, in milliseconds since the epoch, and the SHA-256 of its registration access
   * token. RFC 7592 §1.2
   */
  registration?: { issuedAt: number; tokenHash: string };
  /**
   * When a dynamically registered client expires unless it is used before, in milliseconds since the epoch. Never
   * saved.
   */
  expiresIfUnusedAt?: number;
}

/** Finds clients in a list or table of the application. If a store has no `Clients`, it stores clients itself. */
export interface Clients {
  /** Finds a client by its exact ID. Returns a falsy value if it does not exist. */
  findById(id: string): Awaitable<StoredClient | Falsy>;
  /** Replaces the hash of a client secret with a more expensive one. If omitted, old hashes stay. */
  replaceSecretHash?(id: string, old: string, replacement: string): Awaitable<unknown>;
}

/** Finds users in a table of the application. Users must have an `id`. */
export interface Users {
  /** Finds the user with this username and password, for the password grant. Returns a falsy value if they are wrong. */
  findByCredentials(username: string, password: string): Awaitable<User | Falsy>;
  /** Finds a user by ID, whenever a session or token is used. Returns a falsy value if the user does not exist. */
  findById(id: string): Awaitable<User | Falsy>;
  /**
   * Returns a value that changes with the password of a user: the password hash, or a counter. When it changes in any
   * way, all grants and sessions of the user end. If omitted, a new password ends nothing.
   */
  credentialOf?(user: User): string | number | null | undefined;
}
