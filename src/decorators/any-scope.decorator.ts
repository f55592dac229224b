import { SetMetadata } from '@nestjs/common';
import { assertConfig } from '../../lib/adapter/index.js';
import { verifyScopes } from './scopes.decorator.js';

/** Where `@AnyScope()` leaves its list, for guards and documentation of the host. */
export const ANY_SCOPE_METADATA = 'nest-oauth2:any-scope';

/**
 * The scopes of which a token must have one; on a method it replaces what its controller says. Beside `@Scopes()` both hold.
 * RFC 6750 §3.1
 * @throws InvalidArgumentError when one is empty or missing, or when there is none
 */
export function AnyScope(...scopes: [string, ...string[]]) {
  assertConfig(scopes.length > 0, '@AnyScope() takes at least one scope; for any good token write @Scopes()');
  verifyScopes(scopes, '@AnyScope()');
  return SetMetadata(ANY_SCOPE_METADATA, scopes);
}
