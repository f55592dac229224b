import type { Feature, ServerContext } from '../../lib/contracts/feature.js';
import type { Given } from '../interfaces/oauth2-module-options.interface.js';
import type { OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import type { SessionOperations } from './session-operations.js';

/** A feature that asks the user as well: the interaction of a host that brings none of its own. */
export interface InteractiveFeature extends Feature {
  interaction(server: ServerContext): OAuth2Interaction;
  /** The sessions of a server, for `OAuth2Sessions`. If omitted, the application has none of the feature's. */
  sessions?(server: ServerContext): SessionOperations;
  /** What Nest is to make for it: as the option of that name was given. */
  readonly given?: { readonly option: string; readonly value: Given<object> };
  /** Takes that, made, for a server of the application. @throws InvalidArgumentError where it cannot work */
  take?(server: ServerContext, made: object): void;
}

/** The feature that asks the user, if one does. */
export function findInteractive(features: readonly Feature[] = []): InteractiveFeature | undefined {
  return features.find(
    (one): one is InteractiveFeature => typeof (one as InteractiveFeature).interaction === 'function',
  );
}

/** Hands over to that feature of a server what Nest has made for it. */
export function giveTo(server: ServerContext, made: object | undefined): void {
  if (made !== undefined) findInteractive(server.features)?.take?.(server, made);
}
