import { SetMetadata } from '@nestjs/common';
import { isScopeValue } from '../../lib/http/syntax.js';
import { verify } from '../configuration/verify.js';

/** Where `@Scopes()` leaves its list, for guards and documentation of the host. */
export const SCOPES_METADATA = 'nest-oauth2:scopes';

/**
 * The scopes a token must have, all of them; on a method it replaces what its controller says. `@Scopes()`: any token.
 * RFC 6750 §3.1
 * @throws InvalidArgumentError when one is empty or missing, as a misspelt constant is: any token would do
 */
export function Scopes(...scopes: string[]) {
  verifyScopes(scopes);
  return SetMetadata(SCOPES_METADATA, scopes);
}

/** Checks that each is one scope value. RFC 6749 §3.3 */
export function verifyScopes(scopes: readonly unknown[], decorator = '@Scopes()'): void {
  for (const scope of scopes) {
    const given = typeof scope === 'string' ? `'${scope}'` : String(scope);
    const isValue = typeof scope === 'string' && isScopeValue(scope);
    verify(isValue, `${decorator} takes scopes one by one, without spaces, and ${given} is none`);
  }
}
