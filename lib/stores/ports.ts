import type { ClientMetadata } from '../contracts/client-metadata.js';
import type { Awaitable, Client, Falsy, Scope, User } from '../model/model.js';

/** What is kept of a secret that is good for a while; a hash alone is good for ever. */
export interface SecretHash {
  /** As `newClientSecret` or `hashSecret` made it. */
  hash: string;
  /** Milliseconds since the epoch, as are those of a row. */
  createdAt?: number;
  /** When it is over, by the clock of whoever keeps it; left out: never. RFC 7591 §3.2.1 (`client_secret_expires_at`) */
  expiresAt?: number;
}

/** A client as a store keeps it: what the engine knows of clients, its secrets, and the scopes it may ask for. */
export interface StoredClient extends Client {
  /** As users are told it is called. RFC 7591 §2 (`client_name`) */
  name?: string;
  /** A secret as plain text, or several while one is being replaced: a store that keeps the client keeps hashes of them. */
  secret?: string | readonly string[];
  /** Secrets as `newClientSecret` or `hashSecret` made them, the newest first: five at most. */
  secretHashes?: readonly (string | SecretHash)[];
  /** The scopes it may ask for; left out: none. */
  scopes?: readonly string[];
  /** What it is given that asks for no scope, `''` being a token without one; left out: it must ask. RFC 6749 §3.3 */
  defaultScope?: Scope;
  /**
   * Whether users are asked before it is granted anything: `'never'`, of an application that is your own; `'once'`, and again
   * when it wants more; `'always'`. Left out: once, and always where anybody could pass themselves off as this client, which
   * has no secret and is answered at no https address of its own. RFC 8252 §8.6
   */
  consent?: 'never' | 'once' | 'always';
  /** Since when it is refused everywhere, though it is still kept: `disableClient` of a store says so, `saveClient` does not. */
  retiredAt?: Date | string | number | null;
  /** What it says of itself, where it has registered itself, or where a document describes it. RFC 7591 §2 */
  metadata?: ClientMetadata;
  /** When it registered itself, and the SHA-256 of the token by which it manages that. RFC 7592 §1.2 */
  registration?: { issuedAt: number; tokenHash: string };
  /** Until when it is known though nothing was given to it, in milliseconds: no client that is kept has it. */
  registeredUntil?: number;
}

/** Where the clients are: the host's own list or table. */
export interface Clients {
  findById(id: string): Awaitable<StoredClient | Falsy>;
  /** Replaces a hash by one that costs an attacker more; left out: hashes stay as they are. */
  replaceSecretHash?(id: string, old: string, replacement: string): Awaitable<unknown>;
}

/** Where the users are: the host's own table stays its own. Users need an `id`. */
export interface Users {
  findByCredentials(username: string, password: string): Awaitable<User | Falsy>;
  findById(id: string): Awaitable<User | Falsy>;
  /**
   * What of a user changes with their password: the hash that you keep of it, or a number. With another one, all that they were
   * granted ends and they are signed out everywhere, however it came to be changed. Left out: a new password ends nothing.
   */
  credentialOf?(user: User): string | number | null | undefined;
}
