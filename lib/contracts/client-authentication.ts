import type { Request } from '../http/request.js';
import type { Awaitable, CoreClient, Falsy, Model } from '../model/model.js';

/** The client ID and the credentials that a request presents. RFC 6749 §2.3 */
export interface PresentedCredentials {
  id: string;
  /** The client secret. If omitted, the request contains no secret. */
  secret?: string;
  /**
   * Credentials other than a secret, such as a client assertion. Only the authentication method that read them can
   * verify them.
   */
  assertion?: string;
}

/** The request and the server data that are needed to verify the credentials of a client. */
export interface ClientAuthenticationContext {
  readonly request: Request;
  readonly model: Model;
  /** The issuer of the server for this request. `undefined` if the option `issuer` is not set. */
  readonly issuer: string | undefined;
  /**
   * The endpoint URLs that a client assertion may name as its audience, besides the issuer. Empty at all endpoints
   * except those for pushed authorization requests and CIBA. RFC 9126 §2, CIBA §7.1
   */
  readonly endpointAudiences: readonly string[];
  /** Whether a URL is the URL of an endpoint of this server. */
  readonly isOwnEndpoint: (url: string) => boolean;
}

/**
 * A function that consumes single-use credentials, such as the `jti` of a client assertion.
 * @throws {InvalidClientError} If the credentials were used before.
 */
export type ConsumeCredentials = () => Awaitable<void>;

/**
 * Which clients may call an endpoint without client authentication. `'required'`: no clients. `'public-allowed'`:
 * clients that are registered with the method `none`. A function decides for each request without valid credentials. It
 * may throw an `OAuthError`, which is returned to the client. RFC 6749 §3.2.1
 * @param client The client of the request, or a falsy value if the client is unknown.
 */
export type ClientAuthenticationPolicy =
  'required' | 'public-allowed' | ((client: CoreClient | Falsy, request: Request) => boolean);

/** A method of client authentication. RFC 6749 §2.3 */
export interface ClientAuthentication {
  /** The name of the method: a value of `token_endpoint_auth_method`. RFC 7591 §2 */
  readonly method: string;
  /**
   * Returns the credentials that a request presents for this method, or `undefined` if it presents none. Omit it for a
   * method that reads the TLS connection, such as mutual TLS: the method then applies to requests that contain only a
   * `client_id`, if the client is registered for it. RFC 8705 §2
   */
  readCredentials?(request: Request): PresentedCredentials | undefined;
  /**
   * Verifies the credentials of a client that is registered for this method. Clients that are registered for another
   * method are rejected before. If omitted, the model compares the client secret.
   * @returns For single-use credentials, a function that consumes them. The endpoint calls it once, before anything is
   * granted, but after the checks whose failure allows a retry with the same credentials (`use_dpop_nonce`,
   * RFC 9449 §8).
   * @throws {InvalidClientError} If the credentials are invalid.
   */
  verifyCredentials?(
    credentials: PresentedCredentials,
    client: CoreClient,
    context: ClientAuthenticationContext,
  ): Awaitable<ConsumeCredentials | void>;
}
