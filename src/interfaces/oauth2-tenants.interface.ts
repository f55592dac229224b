import type { Awaitable, Falsy, Request } from '../../lib/index.js';
import type { OAuth2Options } from './oauth2-options.interface.js';

/** Where a host says which of its tenants a request asks, and what is different there: an issuer for each. */
export interface OAuth2Tenants {
  /**
   * Which tenant does this request ask? Asked for every request. Falsy: none, which is answered by 404. Say only ids that you
   * know: what a stranger sends is no id yet.
   */
  findTenant(request: TenantRequest): Awaitable<string | Falsy>;
  /**
   * What is different for this tenant, from your database; falsy: there is none. Kept for as long as `tenantCache` says; what it
   * throws is kept by nobody.
   */
  createTenantOptions(tenant: string): Awaitable<TenantOptions | Falsy>;
}

/** What of a request tells its tenant. */
export interface TenantRequest {
  /** The host that was asked, in lower case and without port; behind a proxy only as far as the platform trusts that. */
  readonly host: string | undefined;
  /**
   * The path that was asked; of a well-known document the path of the issuer, wherever the client has put it:
   * `/.well-known/oauth-authorization-server/acme` is `/acme`. RFC 8414 §3.1
   */
  readonly path: string;
  /** With its `headers`, and the request of Express or Fastify as `native`. */
  readonly request: Request;
}

/** The options of a tenant, over those of the module. What is there for all, features, paths and `cors`, is not among them. */
export interface TenantOptions extends OAuth2Options {
  /** Its own, which no other tenant has. RFC 8414 §2 */
  issuer: string;
}

/** How many servers of tenants are kept, and for how long. */
export interface TenantCacheOptions {
  /** How many at most; who was asked longest ago is forgotten first. Default: 1000 */
  max?: number;
  /** Seconds after which the options of a tenant are asked for again. Default: 300 */
  timeToLive?: number;
  /** Seconds that `createTenantOptions()` may take; then it is 503 `temporarily_unavailable`, and asked again. Default: 10 */
  deadline?: number;
}
