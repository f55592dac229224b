import type { Awaitable, Client, User } from './model.js';

/** An authorization request that the user is asked to consent to. */
export interface ConsentRequest<C extends Client = Client> {
  client: C;
  redirectUri: string;
  /** The issuer that received the request, if the option `issuer` is set. */
  issuer?: string;
  /** The grantable scope, as values separated by spaces: the `grantableScope` of the `AuthorizationRequest`. */
  scope?: string | undefined;
  /** The data that features read from the request. `data.resource` contains the requested resources. */
  readonly data?: Record<string, unknown>;
}

/** A client application that a user has authorized, by a grant or by a remembered consent. */
export interface AuthorizedApplication<C extends Client = Client> {
  clientId: string;
  /** The client. If omitted, the client was deleted. */
  client?: C;
  /** The scope of all grants and of the remembered consent together. */
  scope?: string;
  /** When the user first authorized the application. */
  createdAt: Date;
  /** When the application last received a token, or the user last consented, whichever is later. */
  lastUsedAt: Date;
}

/** A model that remembers the consent of users and lists the applications they have authorized. */
export interface ConsentModel<C extends Client = Client> {
  /**
   * Whether the user already consented to this scope for the same client and resources, and the client's identity is
   * assured. Any value other than `true` means no. RFC 8252 §8.6
   */
  hasConsented(user: User, request: ConsentRequest<C>): Awaitable<boolean>;
  saveConsent(user: User, request: ConsentRequest<C>): Awaitable<unknown>;
  /**
   * Lists the applications that a user has authorized. With `at.issuer`, only those authorized at that issuer, because
   * users of different tenants may have the same ID.
   */
  listApplications(userId: string | number, at?: { issuer: string }): Awaitable<AuthorizedApplication<C>[]>;
  /**
   * Revokes all grants of a user to a client, and deletes the remembered consent. With `issuer`, only those at that
   * issuer.
   */
  revokeGrantsOf(filter: { userId: string | number; clientId: string; issuer?: string }): Awaitable<unknown>;
}
