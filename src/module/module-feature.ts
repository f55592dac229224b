import {
  CONFIG,
  INSTANCES,
  type Instances,
  MODEL_SECRETS,
  secretsOf,
  SERVER_SECRETS,
  SHARED_MODEL,
} from '../../lib/adapter/index.js';
import type { Capabilities, Feature, Secret } from '../../lib/index.js';
import { CONNECTIONS, ServerConnections } from '../guards/server-connections.js';
import type { OAuth2Settings } from '../interfaces/oauth2-options.interface.js';
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
  readonly secret?: Secret | undefined;
  /** The secret by which all servers with the same model encrypt what it stores. */
  readonly modelSecret?: Secret | undefined;
  /** The option `config` of the server. */
  readonly config?: unknown;
  /** Whether servers of other issuers use the same model. */
  readonly sharesModel?: boolean;
  /** The servers of the tenants, if this is the server of an import with tenants. */
  readonly tenants?: OAuth2TenantServers;
}

/** Returns the secrets of a server from its options. */
export const secretOptions = ({ config, secret }: OAuth2Settings) => ({ config, secret, modelSecret: secret });

/** Returns the feature that provides the module's state of a server to guards, pages and other features. */
export const moduleFeature = ({
  name,
  instances,
  tenant,
  sharesModel,
  tenants,
  ...options
}: ServerRegistration): Feature => ({
  id: 'OAuth2Module',
  install(builder) {
    builder.provide(SERVER_NAMES, () => ({ name, tenant }));
    builder.provide(INSTANCES, () => instances);
    builder.provide(CONNECTIONS, () => new ServerConnections());
    if (tenant !== undefined) builder.provide(TENANT, () => tenant);
    const { config, secret, modelSecret } = options;
    builder.provide(CONFIG, () => config);
    if (secret !== undefined) builder.provide(SERVER_SECRETS, () => moduleSecrets(secret, config));
    if (modelSecret !== undefined) builder.provide(MODEL_SECRETS, () => moduleSecrets(modelSecret, config));
    if (sharesModel) builder.provide(SHARED_MODEL, () => true);
    if (tenants) builder.provide(TENANT_SERVERS, () => tenants);
  },
});

/**
 * Returns the secrets of the option `secret` of the module, the newest first.
 * @throws {InvalidArgumentError} If the function of the application returns no valid secret.
 */
export const moduleSecrets = (secret: Secret, config: unknown): readonly string[] =>
  secretsOf(secret, 'the option `secret`', { find: () => config } as Pick<Capabilities, 'find'>);
