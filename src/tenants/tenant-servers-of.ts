import type { OAuth2Server } from '../../lib/index.js';
import { SERVER_STATE } from '../module/server-state.js';
import type { OAuth2TenantServers } from './tenant-servers.js';

/** Returns the servers of the tenants. `undefined` if the server has no tenants. */
// A mock server of a test may have no context.
export const tenantServersOf = ({ context }: Pick<OAuth2Server, 'context'>): OAuth2TenantServers | undefined =>
  (context as OAuth2Server['context'] | undefined)?.find(SERVER_STATE)?.tenants;
