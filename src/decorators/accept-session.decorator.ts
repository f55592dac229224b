import { SetMetadata } from '@nestjs/common';

import { assertConfig } from '../../lib/internal.js';

/** The metadata key of `@AcceptSession()`. */
export const ACCEPT_SESSION_METADATA = 'nest-oauth2:accept-session';

/**
 * Accepts the login session of `pages()` instead of an access token, from pages of the same origin. The session has
 * only the scopes in the option `acceptSessions` of `pages()`, by default none. A request with an access token is
 * decided by the token alone. On a method it replaces the declaration of the controller.
 * @param accept `false`: the route accepts tokens only, even if the server accepts sessions on all routes. Default:
 * `true`.
 * @throws {InvalidArgumentError} If `accept` is not a boolean.
 */
export function AcceptSession(accept = true) {
  assertConfig(typeof accept === 'boolean', '@AcceptSession() takes nothing, `true` or `false`');
  return SetMetadata(ACCEPT_SESSION_METADATA, accept);
}
