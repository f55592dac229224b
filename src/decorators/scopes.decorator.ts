import { type CustomDecorator, SetMetadata } from '@nestjs/common';
import { assertConfig, isScopeValue } from '../../lib/adapter/index.js';

/** Where `@Scopes()` leaves its list, for guards and documentation of the host. */
export const SCOPES_METADATA = 'nest-oauth2:scopes';

/** Where `@Scopes()` leaves the functions among them. */
export const SCOPES_OF_METADATA = 'nest-oauth2:scopes-of';

/**
 * A function that returns the scopes a request requires, such as `toolScopes()` of `nest-oauth2/mcp`. It receives the native request
 * and runs before the token is verified, so its work must be bounded.
 */
export type ScopesOf = (request: { method?: string; headers: object; body?: unknown }) => readonly string[];

/**
 * The scopes a token must have, all of them, by name or by a function of the request; on a method it replaces what its
 * controller says. `@Scopes()`: any token. RFC 6750 §3.1
 * @throws InvalidArgumentError when one is empty or missing, as a misspelt constant is: any token would do
 */
export function Scopes(...scopes: (string | ScopesOf)[]): CustomDecorator {
  const functions = scopes.filter((one) => typeof one === 'function');
  const values = scopes.filter((one) => typeof one !== 'function');
  verifyScopes(values);
  const marks = [SetMetadata(SCOPES_METADATA, values)];
  if (functions.length > 0) marks.push(SetMetadata(SCOPES_OF_METADATA, functions));
  const decorator = (...target: Parameters<CustomDecorator>) => marks.forEach((mark) => mark(...target));
  return Object.assign(decorator as CustomDecorator, { KEY: SCOPES_METADATA });
}

/** Checks that each is one scope value. RFC 6749 §3.3 */
export function verifyScopes(scopes: readonly unknown[], decorator = '@Scopes()'): void {
  for (const scope of scopes) {
    const given = typeof scope === 'string' ? `'${scope}'` : String(scope);
    const isValue = typeof scope === 'string' && isScopeValue(scope);
    assertConfig(isValue, `${decorator} takes scopes one by one, without spaces, and ${given} is none`);
  }
}
