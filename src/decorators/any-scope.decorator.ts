import { SetMetadata } from '@nestjs/common';

import { assertConfig } from '../../lib/internal.js';
import { verifyScopes } from './scopes.decorator.js';

/** The metadata key of `@AnyScope()`, for guards and documentation of the application. */
export const ANY_SCOPE_METADATA = 'nest-oauth2:any-scope';

/**
 * Requires that the access token has at least one of these scopes. On a method it replaces `@Scopes()` and
 * `@AnyScope()` of the controller. If a method or a controller has both decorators, the token must meet both.
 * @throws {InvalidArgumentError} If no scope is given, or one is empty or undefined. RFC 6750 §3.1
 */
export function AnyScope(...scopes: [string, ...string[]]) {
  assertConfig(scopes.length > 0, '@AnyScope() requires at least one scope; use @Scopes() to accept any valid token');
  verifyScopes(scopes, '@AnyScope()');
  return SetMetadata(ANY_SCOPE_METADATA, scopes);
}
