import type { Instrumentation } from '../contracts/instrumentation.js';
import type { FeatureList } from './feature-list.js';
import type { Client, ProtectedResourceModel, User } from '../model/model.js';
import type { EngineOptions, OAuth2ServerOptions } from '../options/options.js';

/** The server options for features and instrumentation, which cannot be set for a single call. */
interface FeatureOptions {
  /** Features to add to those of RFC 6749, such as `[revocation()]`. Default: `[]`. */
  features?: FeatureList;
  /**
   * Code that observes the server, such as `telemetry()`: one instrumentation, or a list whose first entry is
   * outermost. If omitted, nothing observes it.
   */
  instrumentation?: Instrumentation | readonly Instrumentation[];
}

/** The options of a server, including its features and instrumentation. */
export interface ServerOptions<C extends Client, U extends User> extends OAuth2ServerOptions<C, U>, FeatureOptions {}

/** The options of a separate resource server, which only supports `authenticate()`. RFC 6750 */
export interface ResourceServerOptions<C extends Client, U extends User> extends EngineOptions, FeatureOptions {
  /** A model that finds access tokens. */
  model: ProtectedResourceModel<C, U>;
}
