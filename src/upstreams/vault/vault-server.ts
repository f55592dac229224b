import type { IdentityModel, ServerContext } from '../../../lib/index.js';
import type { ProviderClient } from '../providers/provider-client.js';
import type { UpstreamProvider } from '../providers/provider.js';

/** The members of a server with `upstreams()` that the vault needs. */
export interface VaultServer {
  readonly server: ServerContext;
  /** The realm of the users to whom identities can belong. */
  readonly realm: string;
  readonly identities: IdentityModel;
  /** The names of the providers. */
  readonly names: readonly string[];
  provider(name: string): UpstreamProvider | undefined;
  client(name: string): ProviderClient;
}
