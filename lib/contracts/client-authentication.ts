import type { Request } from '../http/request.js';
import type { Awaitable, CoreClient, Falsy, Model } from '../model/model.js';

/** Who a request says it comes from, and its proof. */
export interface PresentedCredentials {
  id: string;
  /** Left out by a client that has none. */
  secret?: string;
  /** What else it proves itself by, which its method knows to read: an assertion. */
  assertion?: string;
}

/** What a proof is judged by. */
export interface ClientAuthenticationContext {
  readonly request: Request;
  readonly model: Model;
  /** The issuer that is asked; undefined where the host has named none. */
  readonly issuer: string | undefined;
  /**
   * The endpoint URLs that identify this server as the audience of a client assertion, besides the issuer. Empty at most endpoints.
   * RFC 9126 §2, CIBA §7.1
   */
  readonly endpointAudiences: readonly string[];
  /** Whether a URL is that of an endpoint of this server. */
  readonly isOwnEndpoint: (url: string) => boolean;
}

/**
 * Consumes single-use credentials, such as the `jti` of a client assertion.
 * @throws InvalidClientError If the credentials were used before.
 */
export type ConsumeCredentials = () => Awaitable<void>;

/**
 * Which clients an endpoint serves without client authentication. `'required'`: none. `'public-allowed'`: clients that are registered
 * with the method `none`. A function decides for each request that has no credentials. It may throw an `OAuthError`, which is then
 * the response. RFC 6749 §3.2.1
 * @param client The client of the request, or a falsy value if the client is unknown.
 */
export type ClientAuthenticationPolicy =
  'required' | 'public-allowed' | ((client: CoreClient | Falsy, request: Request) => boolean);

/** One way for a client to say who it is. RFC 6749 §2.3 */
export interface ClientAuthentication {
  /** Its `token_endpoint_auth_method`. RFC 7591 §2 */
  readonly method: string;
  /**
   * What of a request says so. Left out: nothing does, a client proves itself by its connection, which may show something for
   * whoever calls; then it is asked to `prove` itself where it is registered for this method and only names itself. RFC 8705 §2
   */
  readCredentials?(request: Request): PresentedCredentials | undefined;
  /**
   * Verifies the credentials of a client that is registered for this method, which then cannot use another one. If omitted, the
   * model compares the client secret.
   * @returns for single-use credentials, the function that consumes them: the endpoint calls it once, after the checks whose
   * failure allows a retry with the same credentials (`use_dpop_nonce`, RFC 9449 §8), and before anything is granted
   * @throws InvalidClientError If the credentials are invalid.
   */
  verifyCredentials?(
    credentials: PresentedCredentials,
    client: CoreClient,
    context: ClientAuthenticationContext,
  ): Awaitable<ConsumeCredentials | void>;
}
