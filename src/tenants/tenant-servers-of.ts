import { capability, type OAuth2Server } from '../../lib/index.js';
import type { OAuth2TenantServers } from './tenant-servers.js';

/** The servers of the tenants, provided by the server of an import with tenants. */
export const TENANT_SERVERS = capability<OAuth2TenantServers>('servers of tenants', 'OAuth2Module');

/** Returns the servers of the tenants of a server. `undefined`: the server has no tenants. */
// A server that a test has replaced may have no `facts`.
export const tenantServersOf = ({ context: facts }: Pick<OAuth2Server, 'context'>): OAuth2TenantServers | undefined =>
  (facts as OAuth2Server['context'] | undefined)?.find(TENANT_SERVERS);
