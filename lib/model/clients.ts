import type { Awaitable, Client, Falsy } from './model.js';

/** A client as its administrator sees it: everything but what its secrets are. */
export type ManagedClient<C extends Client = Client> = Omit<C, 'secret' | 'secretHashes' | 'retiredAt'> & {
  /** Since when it is known. */
  createdAt?: Date;
  /** Since when it is refused everywhere; left out: it is not. */
  retiredAt?: Date;
  /** That it has secrets, the newest first; those that are over are left out. */
  secrets: readonly ManagedSecret[];
};

/** That a client has a secret. */
export interface ManagedSecret {
  /** Left out: it is not known. */
  createdAt?: Date;
  /** Left out: never. RFC 7591 §3.2.1 */
  expiresAt?: Date;
}

/** A client that is to be kept. */
export type NewClient<C extends Client = Client> = C & { secret?: string | readonly string[] };

/** What of a client is to be another; what is `undefined` or `null` is taken away. */
export type ClientChanges<C extends Client = Client> = { [Name in keyof C]?: C[Name] | null };

/** The changes, or what makes them of the client as it is: so nothing is lost of a list that others change as well. */
export type ClientChange<C extends Client = Client> =
  ClientChanges<C> | ((client: ManagedClient<C>) => ClientChanges<C>);

/** What is said of the secrets that a client is given. */
export interface SecretOptions {
  /** Seconds after which they are over; left out: never. RFC 7591 §3.2.1 */
  secretLifetime?: number | undefined;
}

/** The same of a client that is new. */
export interface CreateClientOptions extends SecretOptions {
  /** Is its secret of 256 random bits? Then one round of SHA-256 hides it. Default: false */
  isRandom?: boolean | undefined;
}

/** How a secret is replaced. */
export interface RotateOptions extends SecretOptions {
  /** Seconds for which those it had are good beside it: 0, none; `Infinity`, until they are retired. Default: a day */
  overlap?: number | undefined;
  /** A secret that somebody chose; left out: one of 256 random bits. */
  secret?: string | undefined;
}

/** A secret that was made. It is shown once, and can be read nowhere. */
export interface RotatedSecret {
  secret: string;
  /** When it is over; left out: never. */
  expiresAt?: Date;
}

/** Which clients are listed. */
export interface ListClientsOptions {
  /** The `next` of the page before. */
  after?: string | undefined;
  /** How many at most, 1 to 1000. Default: 100 */
  limit?: number | undefined;
  /** Text in the id or the name, in large or small letters. */
  search?: string | undefined;
  /** Only the retired ones, or only the others. */
  disabled?: boolean | undefined;
}

/** Some clients, in the order of their ids. */
export interface ClientList<C extends Client = Client> {
  clients: ManagedClient<C>[];
  /** After which there are more. */
  next?: string;
}

/**
 * Clients administered: the ready-made stores have all of it, and a model of your own may. However many change a client at
 * once, no change is lost.
 */
export interface ClientsModel<C extends Client = Client> {
  /** Keeps a new client, with hashes of its secrets: true for one caller only, and false where there is such a client. */
  createClient(client: NewClient<C>, options?: CreateClientOptions): Awaitable<boolean>;
  /** Changes what a function makes of a client, which may be called again. @returns as it is now; falsy: there is none */
  changeClient(
    clientId: string,
    change: (client: ManagedClient<C>) => ClientChanges<C>,
  ): Awaitable<ManagedClient<C> | Falsy>;
  /** A client, retired or not, without what its secrets are. */
  findClient(clientId: string): Awaitable<ManagedClient<C> | Falsy>;
  listClients(options?: ListClientsOptions): Awaitable<ClientList<C>>;
  /** Gives it another secret; those before it are good for a while. @returns falsy: there is no such client */
  rotateClientSecret(clientId: string, options?: RotateOptions): Awaitable<RotatedSecret | Falsy>;
  /** Refuses it everywhere from now on, and ends its grants; it is still kept. @returns whether there is such a client */
  disableClient(clientId: string): Awaitable<boolean>;
  /** Takes that back; what it was granted stays over. @returns whether there is such a client */
  enableClient(clientId: string): Awaitable<boolean>;
  /** Forgets it, and ends its grants. @returns whether there was such a client */
  removeClient(clientId: string): Awaitable<boolean>;
}
