import type { Awaitable, Client, User } from './model.js';

/** An authorization request that the user is asked to consent to. */
export interface ConsentRequest<C extends Client = Client> {
  client: C;
  redirectUri: string;
  /** The issuer that received the request, if the option `issuer` is set. */
  issuer?: string;
  /** The grantable scope, as values separated by spaces: the `grantableScope` of the `AuthorizationRequest`. */
  scope?: string | undefined;
  /** The part of the grantable scope that the user refused while allowing `scope`. Only for `saveConsent()`. */
  refusedScope?: string | undefined;
  /** The data that features read from the request. `data.resource` contains the requested resources. */
  readonly data?: Record<string, unknown>;
}

/** A remembered consent to a part of the requested scope. */
export interface PartialConsent {
  /** The scope that the user allowed, as values separated by spaces. The user refused the rest. */
  scope: string;
}

/** A remembered consent to access in one organization. */
export interface OrganizationConsent extends Partial<PartialConsent> {
  /** The organization: the `data.org_id` of the request. */
  organization: string;
}

/**
 * Whether a user has consented to an authorization request. An object if the consent is to a part of the scope only, or
 * to access in one organization.
 */
export type RememberedConsent = boolean | PartialConsent | OrganizationConsent;

/** Selects the remembered consents of a user to a client. With `issuer`, only those at that issuer. */
export interface ConsentSelection {
  userId: string | number;
  clientId: string;
  issuer?: string;
}

/** A grant of an application, such as that of one installation of a client that many users install. */
export interface AuthorizedGrant {
  id: string;
  scope?: string | undefined;
  createdAt: Date;
  /** When the application last received a token for the grant. */
  lastUsedAt: Date;
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
  /** Whether a consent is remembered, so that the user is not asked again. Set it only with `forgetConsent()`. */
  consentRemembered?: boolean;
  /**
   * The grants with tokens, each of one installation of the client. The page of applications lets the user end one of
   * several grants. If omitted, the page ends all grants of the client together.
   */
  grants?: readonly AuthorizedGrant[];
}

/** A model that remembers the consent of users and lists the applications they have authorized. */
export interface ConsentModel<C extends Client = Client> {
  /**
   * Whether the user already consented to this scope for the same client and resources, and the client's identity is
   * assured. An object if the user allowed a part of the scope and refused the rest: that part is granted, and the user
   * is not asked again. For a request with `data.org_id`, only an object with this `organization` counts, because a
   * consent for one organization never counts for another. Any other value means no. RFC 8252 §8.6
   */
  hasConsented(user: User, request: ConsentRequest<C>): Awaitable<RememberedConsent>;
  saveConsent(user: User, request: ConsentRequest<C>): Awaitable<unknown>;
  /**
   * Lists the applications that a user has authorized. With `at.issuer`, only those authorized at that issuer, because
   * users of different tenants may have the same ID.
   */
  listApplications(userId: string | number, at?: { issuer: string }): Awaitable<AuthorizedApplication<C>[]>;
  /**
   * Revokes all grants of a user to a client, and deletes the remembered consent. With `issuer`, only those at that
   * issuer. With `grantId`, only this grant is revoked, and other grants of the client keep their tokens.
   */
  revokeGrantsOf(filter: ConsentSelection & { grantId?: string }): Awaitable<unknown>;
  /**
   * Deletes the remembered consents of a user to a client, without revoking grants: the user is asked again at the next
   * request. If omitted, the page with the applications has no such button.
   * @returns how many consents were remembered
   */
  forgetConsent?(selection: ConsentSelection): Awaitable<number>;
}
