import { allFeatures } from '../../lib/internal.js';
import type { OAuth2Options, OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { INTERACTION } from './interactive-feature.js';

/**
 * Whether users can sign in at the authorization endpoint: through an `interaction`, an `authenticateHandler` or a
 * feature such as `pages()`. If not, the endpoint rejects all requests and is not published in the metadata. Always
 * `true` with `controllers: false`.
 */
export function canAskUsers(registration: OAuth2Registration, options: OAuth2Options | undefined): boolean {
  if (registration.controllers === false) return true;
  const configured = registration.interaction ?? options?.interaction ?? options?.authenticateHandler;
  const provided = allFeatures(registration.features).flatMap(({ provides = [] }) => provides);
  return Boolean(configured ?? provided.some(({ name }) => name === INTERACTION.name));
}
