import type { Request } from '../http/request.js';

/** The URLs of a server: its issuer, endpoints and protected resources. */
export interface OwnUrls {
  /** Returns the option `issuer` of the server. `undefined` if it is not set. RFC 8414 §2 */
  issuerOf(request: Request): string | undefined;
  /**
   * Returns the absolute URL of an endpoint. `undefined` if `issuer` is `undefined`, or if the server has no such
   * endpoint or does not serve it.
   */
  urlOf(endpoint: string, issuer: string | undefined): string | undefined;
  /**
   * Returns all absolute URLs of an endpoint: the one at the issuer, and those at further origins that features add.
   * Empty if the endpoint has no URL. RFC 8705 §5
   */
  urlsOf(endpoint: string, issuer: string | undefined): readonly string[];
  /**
   * Returns the absolute URI of a protected resource that a feature declares. For a route path such as `mcp`, it
   * contains the path at which the application serves the route. `undefined` if `issuer` is required and `undefined`.
   */
  resourceUrl(resource: string, issuer: string | undefined): string | undefined;
  /**
   * Returns the protected resource that a request is sent to, or `undefined` for any other path. If several resources
   * match, the one with the longest path is returned. A path prefix that a proxy removed is taken into account.
   * RFC 8707 §2
   */
  resourceOf(request: Request): string | undefined;
}
