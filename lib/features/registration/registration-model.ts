import type { Awaitable, Client, Falsy } from '../../model/model.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { MetadataClient } from '../../clients/registration/client-from-metadata.js';

/** The registration of a client that has registered itself. RFC 7591 §3.2.1 */
export interface Registration<C extends Client = MetadataClient> {
  /** The client as `getClient()` must return it. Its `metadata` contains the registered metadata. */
  client: C;
  issuedAt: Date;
  /** When the client may be deleted if it was never used. If omitted, never. */
  expiresAt?: Date;
}

/** The credentials of a registered client. Store them as hashes, as for a code. */
export interface RegistrationCredentials {
  /** The new client secret. Omitted if the client has none, or keeps its secret. */
  clientSecret?: string;
  /**
   * The registration access token, with which the client manages its registration. Omitted if the client keeps its
   * token. RFC 7592 §1.2
   */
  registrationAccessToken?: string;
}

/** A request to register a client or to update its registration. */
export interface RegistrationRequest {
  /** The metadata to register. */
  metadata: ClientMetadata;
  /** The issuer at which the client registers. It distinguishes tenants that share a model. */
  issuer?: string;
  /** The bearer token of the `Authorization` header, if there is one. RFC 7591 §3 */
  initialAccessToken?: string;
  /**
   * The IP address of the request, such as `request.ip` of Express or Fastify. Behind a proxy, set their `trust proxy`
   * option. Omitted if the address is unknown.
   */
  address?: string;
  /** The client that updates its registration. Omitted for a new registration. RFC 7592 §2.2 */
  client?: Client;
}

/** A model that stores clients that register themselves. */
export interface RegistrationModel<C extends Client = MetadataClient> {
  /**
   * Whether the model can store clients. Called at start-up. A store cannot if the application provides its own
   * clients. If omitted, it can.
   */
  canRegister?(): boolean;
  /** Saves a new client. `getClient()` must find it from then on. */
  saveRegistration(registration: Registration<C>, credentials: RegistrationCredentials): Awaitable<unknown>;
  /**
   * Finds a registration by client ID and registration access token. Must return a falsy value both if the client is
   * unknown and if it has another token, so that callers cannot tell which.
   */
  getRegistration(clientId: string, registrationAccessToken: string): Awaitable<Registration<C> | Falsy>;
  /**
   * Replaces a registered client, and its secret if there is a new one. Must return `false` if the client no longer
   * exists. RFC 7592 §2.2
   */
  updateRegistration(registration: Registration<C>, credentials: RegistrationCredentials): Awaitable<boolean>;
  /** Deletes a client, and revokes everything that was issued to it. RFC 7592 §2.3 */
  revokeRegistration(registration: Registration<C>): Awaitable<unknown>;
  /**
   * Decides whether valid metadata may be registered, for new registrations and updates. May throw an `OAuthError`. If
   * omitted, the options of `registration()` decide. RFC 7591 §3.1
   */
  mayRegister?(request: RegistrationRequest): Awaitable<boolean | Falsy>;
  /**
   * Verifies a software statement, and returns its claims, which override other metadata members. Return a falsy value
   * if the statement is valid but not approved. Throw `InvalidSoftwareStatementError` if it is invalid. If omitted,
   * software statements are ignored. RFC 7591 §2.3
   */
  verifySoftwareStatement?(statement: string): Awaitable<object | Falsy>;
}

/** The methods that a model must have for `registration()`. */
export const REGISTRATION_METHODS: readonly (keyof RegistrationModel)[] = [
  'saveRegistration',
  'getRegistration',
  'updateRegistration',
  'revokeRegistration',
];
