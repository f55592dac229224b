import { SetMetadata } from '@nestjs/common';

import { assertConfig } from '../../lib/internal.js';

/** The metadata key of `@Roles()`, for guards and documentation of the application. */
export const ROLES_METADATA = 'nest-oauth2:roles';

/**
 * Requires that the user of the access token has at least one of these roles. The roles are `user.roles`, a list that
 * your `users.findById()` returns or that `JwtTokens` reads from a token of another issuer. On a method it replaces the
 * roles of its controller. A token whose user has none of the roles gets 403 `insufficient_scope`.
 * @throws {InvalidArgumentError} If no role is given, or one is empty or undefined.
 */
export function Roles(...roles: [string, ...string[]]) {
  assertConfig(roles.length > 0, '@Roles() takes at least one role; use @Scopes() to accept any valid token');
  for (const role of roles as unknown[]) {
    assertConfig(typeof role === 'string' && role !== '', `@Roles() takes names of roles. Got ${String(role)}`);
  }
  return SetMetadata(ROLES_METADATA, roles);
}
