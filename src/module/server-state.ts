import { type Capability, MODULE_STATE, type ModuleState } from '../../lib/internal.js';
import type { ServerConnections } from '../guards/server-connections.js';
import type { OAuth2TenantServers } from '../tenants/tenant-servers.js';

/** The state of `OAuth2Module` for a server that it has made. */
export interface ServerState extends ModuleState {
  readonly tenants?: OAuth2TenantServers | undefined;
  /** The open connections of the server, shared by all of its guards. */
  readonly connections: ServerConnections;
}

/** The capability key under which `OAuth2Module` provides its state of a server to guards, pages and other features. */
export const SERVER_STATE: Capability<ServerState> = MODULE_STATE as Capability<ServerState>;
