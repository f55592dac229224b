import type { Awaitable, Client, Falsy } from './model.js';

/** A client as administrators see it, without the values of its secrets. */
export type ManagedClient<C extends Client = Client> = Omit<C, 'secret' | 'secretHashes' | 'disabledAt'> & {
  /** When the client was created. */
  createdAt?: Date;
  /** When the client was disabled. If omitted, the client is enabled. */
  disabledAt?: Date;
  /** The client's unexpired secrets, newest first, without their values. */
  secrets: readonly ManagedSecret[];
};

/** The times of a client secret, without its value. */
export interface ManagedSecret {
  /** When the secret was created. If omitted, the time is unknown. */
  createdAt?: Date;
  /** When the secret expires. If omitted, it does not expire. RFC 7591 §3.2.1 */
  expiresAt?: Date;
}

/** A new client to save, with its secret or secrets in plain text. If `secret` is omitted, the client has none. */
export type NewClient<C extends Client = Client> = C & { secret?: string | readonly string[] };

/** Changes to the properties of a client. `undefined` and `null` remove a property. */
export type ClientChanges<C extends Client = Client> = { [Name in keyof C]?: C[Name] | null };

/**
 * Changes to a client, or a function that returns them for the current client. Use the function to change lists, so
 * that no concurrent change is lost.
 */
export type ClientChange<C extends Client = Client> =
  ClientChanges<C> | ((client: ManagedClient<C>) => ClientChanges<C>);

/** Options for a new client secret. */
export interface SecretOptions {
  /** Lifetime of the secret in seconds. If omitted, the secret does not expire. RFC 7591 §3.2.1 */
  secretLifetime?: number | undefined;
}

/** Options for creating a client. */
export interface CreateClientOptions extends SecretOptions {
  /**
   * Whether each secret consists of 256 random bits. If so, a single round of SHA-256 suffices as hash. Default:
   * `false`.
   */
  isRandom?: boolean | undefined;
}

/** Options for rotating a client secret. */
export interface RotateOptions extends SecretOptions {
  /**
   * Seconds for which the previous secrets stay valid. `0` invalidates them at once, `Infinity` keeps them until they
   * expire or are removed. Default: one day.
   */
  overlap?: number | undefined;
  /** The new secret. If omitted, a secret of 256 random bits is generated. */
  secret?: string | undefined;
}

/** A new client secret, in plain text. It is returned once and cannot be read again. */
export interface RotatedSecret {
  secret: string;
  /** When the secret expires. If omitted, it does not expire. */
  expiresAt?: Date;
}

/** The filter and the paging of a list of clients. */
export interface ListClientsOptions {
  /** The `next` value of the previous page. If omitted, the first page. */
  after?: string | undefined;
  /** Maximum number of clients, 1 to 1000. Default: `100`. */
  limit?: number | undefined;
  /** A text that the ID or the name must contain, case-insensitive. If omitted, all clients match. */
  search?: string | undefined;
  /** `true` lists only disabled clients, `false` only enabled ones. If omitted, both are listed. */
  disabled?: boolean | undefined;
}

/** A page of clients, in the order of their IDs. */
export interface ClientList<C extends Client = Client> {
  clients: ManagedClient<C>[];
  /** The value of `after` for the next page. If omitted, this is the last page. */
  next?: string;
}

/**
 * A model with client administration. The ready-made stores implement it. Concurrent changes to one client must not be
 * lost.
 */
export interface ClientsModel<C extends Client = Client> {
  /**
   * Saves a new client with hashes of its secrets. Returns `true` for exactly one of several concurrent callers, and
   * `false` if a client with this ID exists.
   */
  createClient(client: NewClient<C>, options?: CreateClientOptions): Awaitable<boolean>;
  /**
   * Changes a client by a function, which may be called again after a concurrent change.
   * @returns The changed client, or a falsy value if the client does not exist.
   */
  changeClient(
    clientId: string,
    change: (client: ManagedClient<C>) => ClientChanges<C>,
  ): Awaitable<ManagedClient<C> | Falsy>;
  /**
   * Returns a client, enabled or disabled, without the values of its secrets. Returns a falsy value if it does not
   * exist.
   */
  findClient(clientId: string): Awaitable<ManagedClient<C> | Falsy>;
  listClients(options?: ListClientsOptions): Awaitable<ClientList<C>>;
  /**
   * Adds a new secret to a client. The previous secrets stay valid for the seconds in `overlap`.
   * @returns The new secret, or a falsy value if the client does not exist.
   */
  rotateClientSecret(clientId: string, options?: RotateOptions): Awaitable<RotatedSecret | Falsy>;
  /**
   * Disables a client: its requests are rejected, and its grants are revoked. The client stays stored.
   * @returns Whether the client exists.
   */
  disableClient(clientId: string): Awaitable<boolean>;
  /**
   * Enables a disabled client again. Its revoked grants stay revoked.
   * @returns Whether the client exists.
   */
  enableClient(clientId: string): Awaitable<boolean>;
  /**
   * Deletes a client and revokes its grants.
   * @returns Whether the client existed.
   */
  removeClient(clientId: string): Awaitable<boolean>;
}
