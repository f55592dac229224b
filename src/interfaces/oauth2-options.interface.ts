import type { EngineOptions } from '../../lib/adapter/index.js';
import type { Instrumentation, Model, ProtectedResourceModel } from '../../lib/index.js';
import type { OAuth2Interaction } from './oauth2-interaction.interface.js';

/** The options that `forRootAsync` may find out while the application starts. */
export interface OAuth2Options extends OAuth2Settings {
  /** The model, made already; its class is given beside the factory. */
  model?: Model | ProtectedResourceModel;
  /** Your login and consent, made already. */
  interaction?: OAuth2Interaction | null;
}

/** The options of the engine, and what the module has beside them. */
export interface OAuth2Settings extends EngineOptions {
  /** Code that runs around all operations, such as `telemetry()`: one value or a list, the first outermost. */
  instrumentation?: Instrumentation | readonly Instrumentation[];
  /** Signs the tickets of consent forms: 32 characters or more, the same in every process and after a restart. */
  secret?: string;
}
