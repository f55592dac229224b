import { type IdentityModel, InvalidRequestError, type ServerContext } from '../../lib/index.js';
import { capability } from '../../lib/internal.js';
import { realmOf } from '../tenants/tenant-of.js';
import { UPSTREAM_ACCOUNTS, type UpstreamAccounts } from './linking/accounts.js';
import { ProviderClient } from './providers/provider-client.js';
import type { VaultServer } from './vault/vault-server.js';
import { Vault } from './vault/vault.js';
import type { FetchFunction, UpstreamProvider } from './providers/provider.js';

/** The ID of the endpoint at which a sign-in with a provider begins. */
export const beginEndpoint = (name: string): string => `upstream_${name}`;

/** The ID of the endpoint to which a provider sends its responses. */
export const callbackEndpoint = (name: string): string => `upstream_${name}_callback`;

/** The ID of the endpoint to which a provider sends logout tokens. */
export const logoutEndpoint = (name: string): string => `upstream_${name}_backchannel_logout`;

/** The ID of the page of connected accounts. */
export const CONNECTIONS = 'upstream_connections';

/** The settings of the providers of one server. */
interface UpstreamServerSettings {
  readonly providers: ReadonlyMap<string, UpstreamProvider>;
  /** Sends requests to the endpoints of providers. */
  readonly fetch: FetchFunction;
  readonly realm: string | undefined;
  /** Sends requests to the APIs of providers. `undefined` without `vault: true`. */
  readonly callApi: FetchFunction | undefined;
}

/** The providers of one server, and the accounts of their users. */
export class UpstreamServer implements VaultServer {
  /** The tokens of users. `undefined` without `vault: true`. */
  readonly vault: Vault | undefined;
  private readonly clients: ReadonlyMap<string, ProviderClient>;
  private readonly realmName: string | undefined;

  constructor(
    readonly server: ServerContext,
    { providers, fetch, realm, callApi }: UpstreamServerSettings,
  ) {
    this.realmName = realm;
    this.clients = new Map([...providers].map(([name, one]) => [name, new ProviderClient(one, server, fetch)]));
    this.vault = callApi && new Vault(this, callApi);
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

  /** @throws {InvalidRequestError} (404) If this server has no such provider. */
  require(name: string): UpstreamProvider {
    const provider = this.provider(name);
    if (provider) return provider;
    throw new InvalidRequestError('Invalid request: this server has no such provider', { code: 404 });
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
