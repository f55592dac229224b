import type { ServerContext } from '../../lib/index.js';
import { capability } from '../../lib/internal.js';
import type { OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import type { SessionOperations } from './session-operations.js';

/**
 * The interaction that a feature such as `pages()` provides, for servers without an `interaction` of the application.
 */
export interface InteractionFactory {
  /** Returns the interaction. */
  make(): OAuth2Interaction;
  /** Returns the operations of `OAuth2Sessions`. */
  sessions(): SessionOperations;
}

/**
 * The capability key under which a feature such as `pages()` provides the login and consent of a server. The feature
 * lists the key in its `provides`.
 */
export const INTERACTION = capability<InteractionFactory>('interaction', 'pages');

/** Returns the interaction that a feature of the server provides. `undefined` if no feature does. */
// A mock server of a test may have no context.
export const makeInteraction = (server: ServerContext | undefined): OAuth2Interaction | undefined =>
  server?.find(INTERACTION)?.make();
