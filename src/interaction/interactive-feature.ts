import type { Feature, ServerFacts } from '../../lib/feature.js';
import type { OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';

/** A feature that asks the user as well: the interaction of a host that brings none of its own. */
export interface InteractiveFeature extends Feature {
  interaction(server: ServerFacts): OAuth2Interaction;
}

/** The feature that asks the user, if one does. */
export function findInteractive(features: readonly Feature[] = []): InteractiveFeature | undefined {
  return features.find(
    (one): one is InteractiveFeature => typeof (one as InteractiveFeature).interaction === 'function',
  );
}
