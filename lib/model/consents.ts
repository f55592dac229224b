import type { Awaitable, Client, User } from './model.js';

/** An authorization request that a user is asked to approve. */
export interface ConsentRequest<C extends Client = Client> {
  client: C;
  redirectUri: string;
  /** The issuer at which the request was made, if the application names one. */
  issuer?: string;
  /** The grantable scope: what the user would grant, separated by spaces. An `AuthorizationRequest` has it as `grantableScope`. */
  scope?: string | undefined;
  /** What features store with the request. `data.resource` names the resources that it is for. */
  readonly data?: Record<string, unknown>;
}

/** An application that has access to the account of a user, or may have it again without asking. */
export interface AuthorizedApplication<C extends Client = Client> {
  clientId: string;
  /** Left out: it is no longer known. */
  client?: C;
  /** All that it may do, in its grants and in what the user agreed to. */
  scope?: string;
  /** Since when. */
  createdAt: Date;
  /** When it last got a token or was agreed to. */
  lastUsedAt: Date;
}

/** Remembers what users agreed to, and shows them. */
export interface ConsentModel<C extends Client = Client> {
  /**
   * Has this user agreed to as much before, for the same resources, and is it known that the same client asks? Only `true` is
   * yes. RFC 8252 §8.6
   */
  hasConsented(user: User, request: ConsentRequest<C>): Awaitable<boolean>;
  saveConsent(user: User, request: ConsentRequest<C>): Awaitable<unknown>;
  /** With an issuer: at that one; so the pages of tenants ask, whose users may have ids in common. */
  listApplications(userId: string | number, at?: { issuer: string }): Awaitable<AuthorizedApplication<C>[]>;
  /** Ends all that a client may do for a user; what the user agreed to is forgotten with it. */
  revokeGrantsOf(filter: { userId: string | number; clientId: string; issuer?: string }): Awaitable<unknown>;
}
