import type { EngineOptions, Instrumentation, Secret } from '../../lib/internal.js';
import type { Model, ProtectedResourceModel } from '../../lib/index.js';
import type { OAuth2Interaction } from './oauth2-interaction.interface.js';

/** The options that the factory of `forRootAsync()` may return when the application starts. */
export interface OAuth2Options extends OAuth2Settings {
  /** The model instance. Pass a class to `forRootAsync()` next to the factory instead. */
  model?: Model | ProtectedResourceModel;
  /** The instance of your login and consent. `null` if no client uses the authorization code grant. */
  interaction?: OAuth2Interaction | null;
}

/** The options of the engine, and further options of the module. */
export interface OAuth2Settings extends EngineOptions {
  /** Code that wraps all operations, such as `telemetry()`. In a list, the first is the outermost. */
  instrumentation?: Instrumentation | readonly Instrumentation[];
  /**
   * The secret that signs the CSRF tokens of consent forms, the state of redirects to the login page, and the cookies
   * of known browsers. It is also the default secret of `keys()` and of the nonces of `dpop()`. At least 32 characters,
   * the same in every process and after a restart. In a list, the first secret signs and encrypts, and all of them
   * verify and decrypt, so that it can be rotated. A function is called when the server is made. Required with an
   * interaction.
   */
  secret?: Secret;
  /**
   * The value that functions in the options of features receive, such as the `ConfigService` of `@nestjs/config`:
   * `openid({ pairwise: { salt: (config: ConfigService) => config.getOrThrow('PAIRWISE_SALT') } })`.
   */
  config?: unknown;
}
