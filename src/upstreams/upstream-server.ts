import { capability, type IdentityModel, type ServerContext } from '../../lib/index.js';
import { realmOf } from '../tenants/tenant-of.js';
import { UPSTREAM_ACCOUNTS, type UpstreamAccounts } from './linking/accounts.js';
import { ProviderClient } from './providers/provider-client.js';
import type { FetchFunction, UpstreamProvider } from './providers/provider.js';

/** The ID of the endpoint at which a sign-in with a provider begins. */
export const beginEndpoint = (name: string): string => `upstream_${name}`;

/** The ID of the endpoint to which a provider sends its responses. */
export const callbackEndpoint = (name: string): string => `upstream_${name}_callback`;

/** The ID of the page of connected accounts. */
export const CONNECTIONS = 'upstream_connections';

/** The providers of one server, and the accounts of their users. */
export class UpstreamServer {
  private readonly clients: ReadonlyMap<string, ProviderClient>;

  constructor(
    readonly server: ServerContext,
    providers: ReadonlyMap<string, UpstreamProvider>,
    fetch: FetchFunction,
    private readonly realmName: string | undefined,
  ) {
    this.clients = new Map([...providers].map(([name, one]) => [name, new ProviderClient(one, server, fetch)]));
  }

  /** The names of the providers, in the order of the option. */
  get names(): readonly string[] {
    return [...this.clients.keys()];
  }

  client(name: string): ProviderClient {
    return this.clients.get(name)!;
  }

  provider(name: string): UpstreamProvider | undefined {
    return this.clients.get(name)?.provider;
  }

  /** The realm of the users to whom identities can belong. Two tenants may have users with the same ID. */
  get realm(): string {
    return realmOf(this.server, this.realmName);
  }

  get accounts(): UpstreamAccounts {
    return this.server.find(UPSTREAM_ACCOUNTS)!;
  }

  get identities(): IdentityModel {
    return this.server.options.model as object as IdentityModel;
  }
}

/** The capability key of the providers of a server. */
export const UPSTREAM_SERVER = capability<UpstreamServer>('upstream providers', 'upstreams');
