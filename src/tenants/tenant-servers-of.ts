import { capability, type OAuth2Server } from '../../lib/index.js';
import type { OAuth2TenantServers } from './tenant-servers.js';

/**
 * The capability key under which a server provides the servers of its tenants. `OAuth2Module` provides it if the option
 * `tenants` is set.
 */
export const TENANT_SERVERS = capability<OAuth2TenantServers>('servers of tenants', 'OAuth2Module');

/** Returns the servers of the tenants. `undefined` if the server has no tenants. */
// A mock server of a test may have no context.
export const tenantServersOf = ({ context }: Pick<OAuth2Server, 'context'>): OAuth2TenantServers | undefined =>
  (context as OAuth2Server['context'] | undefined)?.find(TENANT_SERVERS);
