import type { Awaitable, Client, Falsy } from '../../model/model.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { MetadataClient } from '../../clients/registration/client-from-metadata.js';

/** A client that has registered itself. RFC 7591 §3.2.1 */
export interface Registration<C extends Client = MetadataClient> {
  /** As `getClient()` is to find it; what it said of itself is its `metadata`. */
  client: C;
  issuedAt: Date;
  /** When it may be forgotten, unless it was used until then; left out: never. */
  expiresAt?: Date;
}

/** What a client proves itself by. To be kept as hashes, as with a code. */
export interface RegistrationCredentials {
  /** Left out: it has none, or keeps the one that it has. */
  clientSecret?: string;
  /** With which it manages its registration. RFC 7592 §1.2 */
  registrationAccessToken?: string;
}

/** Who wants to register what. */
export interface RegistrationRequest {
  /** What would be registered. */
  metadata: ClientMetadata;
  /** The issuer at which the client registers. Tenants that share a model are told apart by it. */
  issuer?: string;
  /** The credentials of the `Authorization` header, where it is `Bearer`. RFC 7591 §3 */
  initialAccessToken?: string;
  /** From where, as Express or Fastify say; behind a proxy they have to be told to trust it. */
  address?: string;
  /** The client that changes its registration. RFC 7592 §2.2 */
  client?: Client;
}

/** Keeps clients that register themselves. */
export interface RegistrationModel<C extends Client = MetadataClient> {
  /** Can clients be kept at all? Asked at the start. A store cannot where the host has the clients. Left out: they can. */
  canRegister?(): boolean;
  /** Keeps a new client, which `getClient()` finds from then on. */
  saveRegistration(registration: Registration<C>, credentials: RegistrationCredentials): Awaitable<unknown>;
  /** @returns falsy where there is no such client, or it has another token: nobody learns which */
  getRegistration(clientId: string, registrationAccessToken: string): Awaitable<Registration<C> | Falsy>;
  /** Puts another client in place of this one, with another secret where there is one. @returns falsy: it is gone. RFC 7592 §2.2 */
  updateRegistration(registration: Registration<C>, credentials: RegistrationCredentials): Awaitable<boolean>;
  /** Forgets it, and ends all that was ever issued to it. RFC 7592 §2.3 */
  revokeRegistration(registration: Registration<C>): Awaitable<unknown>;
  /**
   * May this be registered? Asked when all else is good; it may throw an `OAuthError`. Left out: the options of the feature
   * say who may. RFC 7591 §3.1
   */
  mayRegister?(request: RegistrationRequest): Awaitable<boolean | Falsy>;
  /**
   * What a software statement says, once it is proven: members of the metadata, which count more than what stands beside it.
   * Falsy: it is good, but not approved here; `InvalidSoftwareStatementError`: it is not good. Left out: nobody reads them.
   * RFC 7591 §2.3
   */
  verifySoftwareStatement?(statement: string): Awaitable<object | Falsy>;
}

/** What a model must have. */
export const REGISTRATION_METHODS: readonly (keyof RegistrationModel)[] = [
  'saveRegistration',
  'getRegistration',
  'updateRegistration',
  'revokeRegistration',
];
