import type { Instrumentation } from '../contracts/instrumentation.js';
import type { FeatureList } from './feature-list.js';
import type { Client, ProtectedResourceModel, User } from '../model/model.js';
import type { EngineOptions, OAuth2ServerOptions } from '../options/options.js';

/** The options of a server that no single call has. */
interface FeatureOptions {
  /** Specifications beside the classic ones, such as `[revocation()]`. Default: `[]` */
  features?: FeatureList;
  /** Code that runs around all operations, such as `telemetry()`: one value or a list, the first outermost. */
  instrumentation?: Instrumentation | readonly Instrumentation[];
}

/** The options of a server, and what it does beyond the classic. */
export interface ServerOptions<C extends Client, U extends User> extends OAuth2ServerOptions<C, U>, FeatureOptions {}

/** The same for an API that lives apart from its authorization server: `authenticate` is all it does. RFC 6750 */
export interface ResourceServerOptions<C extends Client, U extends User> extends EngineOptions, FeatureOptions {
  /** Knows access tokens, and no more. */
  model: ProtectedResourceModel<C, U>;
}
