import { assertConfig, requestPath } from '../../lib/adapter/index.js';
import { InvalidRequestError, type OAuth2Server, type Request } from '../../lib/index.js';
import type { InteractionFlow } from '../interaction/interaction-flow.js';
import type { OAuth2Tenants, TenantCacheOptions, TenantOptions } from '../interfaces/oauth2-tenants.interface.js';
import { TenantCache } from './tenant-cache.js';

/** What answers the requests of one tenant. */
export interface TenantParts {
  readonly server: OAuth2Server;
  readonly interaction: InteractionFlow | undefined;
}

/** The servers of the tenants of a host, each made when it is first asked for. */
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

  /** The server of a tenant, for jobs and tests of the host. @throws InvalidRequestError (404) when there is no such tenant */
  async get(tenant: string): Promise<OAuth2Server> {
    return (await this.partsOf(tenant)).server;
  }

  /** The server that a request asks. @throws InvalidRequestError (404) when it asks no tenant */
  async find(request: Request): Promise<OAuth2Server> {
    return (await this.findParts(request)).server;
  }

  /** Asks for the options of a tenant anew before the next request; without one, for those of all. */
  forget(tenant?: string): void {
    this.cache.forget(tenant);
  }

  /** @internal */
  async findParts(request: Request): Promise<TenantParts> {
    const tenant: unknown = await this.tenants.findTenant({ host: hostOf(request), path: pathOf(request), request });
    if (typeof tenant !== 'string' || tenant === '') throw unknownTenant();
    return this.partsOf(tenant);
  }

  private async partsOf(tenant: string): Promise<TenantParts> {
    const parts = await this.cache.get(tenant, () => this.settle(tenant));
    if (!parts) throw unknownTenant();
    return parts;
  }

  private async settle(tenant: string): Promise<TenantParts | undefined> {
    const options = await this.tenants.createTenantOptions(tenant);
    if (!options) return undefined;
    return this.make(tenant, options);
  }

  /**
   * One issuer, one tenant. A database that compares without case finds `acme` by `ACME` too: whoever asks by that name first must
   * not keep out the one that the issuer names.
   */
  private verifyIssuer(tenant: string, { server }: TenantParts): void {
    const { issuer } = server.options;
    const other = this.cache.findOtherTenant(tenant, (kept) => kept.server.options.issuer === issuer);
    if (other === undefined) return;
    if (isNamed(other, issuer!) && !isNamed(tenant, issuer!)) throw unknownTenant();
    const fault = `the tenants \`${other}\` and \`${tenant}\` have one \`issuer\`, \`${issuer}\`: give each its own`;
    assertConfig(isNamed(tenant, issuer!) && !isNamed(other, issuer!), fault);
    this.cache.forget(other);
  }
}

/** Is it one of the words that an issuer is made of? */
const isNamed = (tenant: string, issuer: string) => issuer.split(/[/.:]+/).includes(tenant);

function unknownTenant(): InvalidRequestError {
  const reason = '`findTenant()` and `createTenantOptions()` know the tenant';
  return new InvalidRequestError('Invalid request: no tenant is registered for this host or path', {
    code: 404,
  }).because({ reason });
}

interface Native {
  hostname?: unknown;
}

/** As Express and Fastify say, which know whether to trust a proxy; of an upgrade its header says. */
function hostOf(request: Request): string | undefined {
  const { hostname } = (request['native'] ?? {}) as Native;
  const host: unknown = hostname ?? request.get('host');
  return typeof host === 'string' ? host.toLowerCase().replace(/:\d*$/, '') : undefined;
}

const pathOf = (request: Request) => requestPath(request).replace(/^\/\.well-known\/[^/]+(?=\/|$)/, '') || '/';
