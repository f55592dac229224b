import { configurationError, findMissingMethods } from '../../lib/internal.js';
import { type EventSink, type FeatureList, type Model, OAuth2Server } from '../../lib/index.js';
import type { OAuth2Options } from '../interfaces/oauth2-module-options.interface.js';
import { moduleFeature, type ServerRegistration } from '../module/module-feature.js';
import { checkModel, requirementsOf } from './check-model.js';
import { engineOptions } from './option-table.js';

interface ServerParts {
  options: OAuth2Options;
  features: FeatureList | undefined;
  events: EventSink;
  /** The name, secret, instances and tenant of the server. */
  registration: ServerRegistration;
  /** Whether the module serves the authorization and token endpoints. */
  controllers: boolean;
}

/**
 * Makes the engine's server of one registration or tenant.
 * @throws {InvalidArgumentError} If the model lacks methods or the features are misconfigured. The message lists all
 * problems.
 */
export function makeServer(
  model: unknown,
  { options, features = [], events, controllers, registration }: ServerParts,
): OAuth2Server {
  checkModel(model);
  const all = [...features, moduleFeature(registration)];
  const missing = findMissingMethods(model, requirementsOf(model, options, controllers));
  if (missing === undefined) return new OAuth2Server(engineParts(model, options, all), events);
  const errors = [missing, findEngineError(model, { options, features: all, events })].filter(Boolean);
  throw configurationError(errors.join('\n'));
}

const engineParts = (model: Model, options: OAuth2Options, features: FeatureList | undefined) => ({
  ...engineOptions(options),
  ...(options.instrumentation && { instrumentation: options.instrumentation }),
  features,
  model,
});

/**
 * Returns the message of the configuration error that the engine throws, to report it together with the missing
 * methods. `undefined` if it throws none.
 */
function findEngineError(
  model: Model,
  { options, features, events }: Pick<ServerParts, 'events' | 'features' | 'options'>,
): string | undefined {
  try {
    void new OAuth2Server(engineParts(model, options, features), events);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^Invalid argument: /, '');
  }
}
