import type { Awaitable, Client, Falsy, Scope, User } from '../model/model.js';

/** A client as a store keeps it: what the engine knows of clients, its secrets, and the scopes it may ask for. */
export interface StoredClient extends Client {
  /** As users are told it is called. RFC 7591 §2 (`client_name`) */
  name?: string;
  /** A secret as plain text: only for clients that are written down in a program, as in tests. */
  secret?: string;
  /** Secrets as `newClientSecret` or `hashSecret` made them; two of them while a secret is being replaced. */
  secretHashes?: readonly string[];
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
}
