import { INSTANCES, type Instances, SHARED_MODEL } from '../../lib/adapter/index.js';
import type { Feature } from '../../lib/index.js';
import { CONNECTIONS, ServerConnections } from '../guards/server-connections.js';
import { SECRET } from '../interaction/server-secret.js';
import { TENANT } from '../tenants/tenant-of.js';
import { TENANT_SERVERS } from '../tenants/tenant-servers-of.js';
import type { OAuth2TenantServers } from '../tenants/tenant-servers.js';
import { SERVER_NAMES } from './oauth2-context.js';

/** The properties of a server that `OAuth2Module` makes, for the features of the server. */
export interface ServerRegistration {
  /** The `name` of the import. `undefined` for the default server. */
  readonly name: string | undefined;
  /** The instances that Nest makes for the options of features. */
  readonly instances: Instances;
  /** The tenant of the server. If omitted, the server belongs to no tenant. */
  readonly tenant?: string | undefined;
  /** The option `secret` of the server, if set. */
  readonly secret?: string | undefined;
  /** Whether servers of other issuers use the same model. */
  readonly sharesModel?: boolean;
  /** The servers of the tenants, if this is the server of an import with tenants. */
  readonly tenants?: OAuth2TenantServers;
}

/** Returns the feature that provides the module's state of a server to guards, pages and other features. */
export const moduleFeature = ({
  name,
  instances,
  tenant,
  secret,
  sharesModel,
  tenants,
}: ServerRegistration): Feature => ({
  id: 'OAuth2Module',
  install(builder) {
    builder.provide(SERVER_NAMES, () => ({ name, tenant }));
    builder.provide(INSTANCES, () => instances);
    builder.provide(CONNECTIONS, () => new ServerConnections());
    if (tenant !== undefined) builder.provide(TENANT, () => tenant);
    if (secret !== undefined) builder.provide(SECRET, () => secret);
    if (sharesModel) builder.provide(SHARED_MODEL, () => true);
    if (tenants) builder.provide(TENANT_SERVERS, () => tenants);
  },
});
