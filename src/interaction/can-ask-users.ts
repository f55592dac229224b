import { allFeatures } from '../../lib/adapter/index.js';
import type { OAuth2Options, OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { findInteractionDeclaration } from './interactive-feature.js';

/** Is there anybody to ask who is signed in? Without, the authorization endpoint only refuses, and nobody need find it. */
export function canAskUsers(registration: OAuth2Registration, options: OAuth2Options | undefined): boolean {
  if (registration.controllers === false) return true;
  const given = registration.interaction ?? options?.interaction ?? options?.authenticateHandler;
  return Boolean(given ?? findInteractionDeclaration(allFeatures(registration.features)));
}
