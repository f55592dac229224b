import {
  INSTANCES,
  type Instances,
  MODEL_SECRETS,
  secretsOf,
  SERVER_SECRETS,
  type Capabilities,
  type Feature,
  type Secret,
} from '../../lib/internal.js';
import { ServerConnections } from '../guards/server-connections.js';
import type { OAuth2Settings } from '../interfaces/oauth2-options.interface.js';
import { SERVER_STATE, type ServerState } from './server-state.js';

/** The properties of a server that `OAuth2Module` makes, for the features of the server. */
export interface ServerRegistration extends Omit<ServerState, 'connections'> {
  /** The instances that Nest makes for the options of features. */
  readonly instances: Instances;
  /** The option `secret` of the server, if set. */
  readonly secret?: Secret | undefined;
  /** The secret by which all servers with the same model encrypt what it stores. */
  readonly modelSecret?: Secret | undefined;
}

/** Returns the secrets of a server from its options. */
export const secretOptions = ({ config, secret }: OAuth2Settings) => ({ config, secret, modelSecret: secret });

/** Returns the feature that provides the module's state of a server to guards, pages and other features. */
export const moduleFeature = ({ instances, secret, modelSecret, ...state }: ServerRegistration): Feature => ({
  id: 'OAuth2Module',
  install(builder) {
    const { config } = state;
    builder.provide(SERVER_STATE, () => ({ ...state, connections: new ServerConnections() }));
    builder.provide(INSTANCES, () => instances);
    if (secret !== undefined) builder.provide(SERVER_SECRETS, () => moduleSecrets(secret, config));
    if (modelSecret !== undefined) builder.provide(MODEL_SECRETS, () => moduleSecrets(modelSecret, config));
  },
});

/**
 * Returns the secrets of the option `secret` of the module, the newest first.
 * @throws {InvalidArgumentError} If the function of the application returns no valid secret.
 */
export const moduleSecrets = (secret: Secret, config: unknown): readonly string[] =>
  secretsOf(secret, 'the option `secret`', { find: () => ({ config }) } as unknown as Pick<Capabilities, 'find'>);
