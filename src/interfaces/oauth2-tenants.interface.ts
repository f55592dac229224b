import type { Awaitable, Falsy, Request } from '../../lib/index.js';
import type { OAuth2Options } from './oauth2-options.interface.js';

/**
 * Finds the tenant of a request, and the options of each tenant. Tenants have different issuers, and may have different
 * models, secrets and interactions.
 */
export interface OAuth2Tenants {
  /**
   * Returns the id of the tenant that a request is for. It is called for every request. Host, path and headers of the
   * request are not verified. The response is 404 if the result, or that of `createTenantOptions()` for it, is falsy.
   */
  findTenant(request: TenantRequest): Awaitable<string | Falsy>;
  /**
   * Returns the options of a tenant, or a falsy value if there is no such tenant. The options are cached as
   * `tenantCache` defines; errors and falsy values are not cached.
   */
  createTenantOptions(tenant: string): Awaitable<TenantOptions | Falsy>;
}

/** The parts of a request that identify its tenant. */
export interface TenantRequest {
  /**
   * The host name of the request, in lower case and without port. Behind a proxy it is correct only if Express or
   * Fastify trusts the proxy.
   */
  readonly host: string | undefined;
  /**
   * The path of the request. For a well-known document it is the path of the issuer, on either side of the well-known
   * part: `/.well-known/oauth-authorization-server/acme` is `/acme`. RFC 8414 §3.1
   */
  readonly path: string;
  /** The request, with its `headers` and the request of Express or Fastify as `native`. */
  readonly request: Request;
}

/**
 * The options of a tenant. They replace those of the module. `features`, `paths`, `cors` and `events` are the same for
 * all tenants.
 */
export interface TenantOptions extends OAuth2Options {
  /** The issuer of the tenant. Each tenant must have a different one. RFC 8414 §2 */
  issuer: string;
}

/** How many servers of tenants are cached, for how long, and how long the options of one may take to load. */
export interface TenantCacheOptions {
  /** Maximum number of cached tenants. The least recently used one is removed first. Default: `1000`. */
  max?: number;
  /** Seconds after which the options of a tenant are loaded again. Default: `300`. */
  timeToLive?: number;
  /**
   * Maximum seconds that `createTenantOptions()` may take. After that, requests get 503 `temporarily_unavailable`, and
   * the next request loads the options again. Default: `10`.
   */
  deadline?: number;
}
