import { assertConfig, requestPath } from '../../lib/internal.js';
import { InvalidRequestError, type OAuth2Server, type RefusalDetail, type Request } from '../../lib/index.js';
import type { InteractionFlow } from '../interaction/interaction-flow.js';
import type { OAuth2Tenants, TenantCacheOptions, TenantOptions } from '../interfaces/oauth2-tenants.interface.js';
import { TenantCache } from './tenant-cache.js';

/** The server and the interaction of one tenant. */
export interface TenantParts {
  readonly server: OAuth2Server;
  readonly interaction: InteractionFlow | undefined;
}

/**
 * The servers of an application's tenants. Each server is made on first use, and again after it was removed from the
 * cache.
 */
export class OAuth2TenantServers {
  private readonly cache: TenantCache<TenantParts>;

  /** @internal */
  constructor(
    private readonly tenants: OAuth2Tenants,
    private readonly make: (tenant: string, options: TenantOptions) => TenantParts,
    cache: TenantCacheOptions | undefined,
  ) {
    this.cache = new TenantCache(cache, (tenant, parts) => this.verifyIssuer(tenant, parts));
  }

  /**
   * Returns the server of a tenant, for jobs and tests of the application.
   * @throws {InvalidRequestError} (404) If there is no such tenant.
   */
  async get(tenant: string): Promise<OAuth2Server> {
    return (await this.partsOf(tenant)).server;
  }

  /**
   * Returns the server for a request.
   * @throws {InvalidRequestError} (404) If the request belongs to no tenant.
   */
  async find(request: Request): Promise<OAuth2Server> {
    return (await this.findParts(request)).server;
  }

  /** Loads the options of a tenant again at the next request. If `tenant` is omitted, those of all tenants. */
  forget(tenant?: string): void {
    this.cache.forget(tenant);
  }

  /** @internal */
  async findParts(request: Request): Promise<TenantParts> {
    const tenant: unknown = await this.tenants.findTenant({ host: hostOf(request), path: pathOf(request), request });
    if (typeof tenant !== 'string' || tenant === '') throw unknownTenant(NO_TENANT);
    return this.partsOf(tenant);
  }

  private async partsOf(tenant: string): Promise<TenantParts> {
    const parts = await this.cache.get(tenant, () => this.settle(tenant));
    if (!parts) throw unknownTenant(NO_OPTIONS);
    return parts;
  }

  private async settle(tenant: string): Promise<TenantParts | undefined> {
    const options = await this.tenants.createTenantOptions(tenant);
    if (!options) return undefined;
    return this.make(tenant, options);
  }

  /**
   * Verifies that no other cached tenant has the same issuer. A database that ignores case may find `acme` for the id
   * `ACME`; only the id that is part of the issuer is accepted then.
   * @throws {InvalidRequestError} (404) If only the id of the other tenant is part of the issuer.
   * @throws {InvalidArgumentError} If both or neither of the ids is part of the issuer.
   */
  private verifyIssuer(tenant: string, { server }: TenantParts): void {
    const { issuer } = server.options;
    const other = this.cache.findOtherTenant(tenant, (parts) => parts.server.options.issuer === issuer);
    if (other === undefined) return;
    if (isPartOfIssuer(other, issuer!) && !isPartOfIssuer(tenant, issuer!)) {
      throw unknownTenant(OTHER_TENANT);
    }
    const message = `the tenants \`${other}\` and \`${tenant}\` have the same \`issuer\` \`${issuer}\`: give each its own`;
    assertConfig(isPartOfIssuer(tenant, issuer!) && !isPartOfIssuer(other, issuer!), message);
    this.cache.forget(other);
  }
}

/** Whether a tenant id is a part of the issuer's host or path. */
const isPartOfIssuer = (tenant: string, issuer: string) => issuer.split(/[/.:]+/).includes(tenant);

const NO_TENANT = {
  reason: '`findTenant()` returned no tenant id',
  remedy: 'correct the URL of the request, or return an id for this host and path from `findTenant()`',
};
const NO_OPTIONS = {
  reason: '`createTenantOptions()` returned no options for the tenant id',
  remedy: 'create the tenant, or correct the URL of the request',
};
const OTHER_TENANT = {
  reason: '`createTenantOptions()` returned an `issuer` that belongs to another tenant id',
  remedy: 'compare the id exactly in `createTenantOptions()`, including upper and lower case',
};

function unknownTenant(detail: RefusalDetail): InvalidRequestError {
  return new InvalidRequestError('Invalid request: no tenant is registered for this host or path', {
    code: 404,
  }).because(detail);
}

interface Native {
  hostname?: unknown;
}

/**
 * Returns the host name as Express or Fastify report it, because they know whether to trust a proxy. For a WebSocket
 * upgrade, returns the `Host` header.
 */
function hostOf(request: Request): string | undefined {
  const { hostname } = (request['native'] ?? {}) as Native;
  const host: unknown = hostname ?? request.get('host');
  return typeof host === 'string' ? host.toLowerCase().replace(/:\d*$/, '') : undefined;
}

const pathOf = (request: Request) => requestPath(request).replace(/^\/\.well-known\/[^/]+(?=\/|$)/, '') || '/';
