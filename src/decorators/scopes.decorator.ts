import { type CustomDecorator, SetMetadata } from '@nestjs/common';

import { assertConfig, isScopeValue } from '../../lib/internal.js';

/** The metadata key of the scopes in `@Scopes()`, for guards and documentation of the application. */
export const SCOPES_METADATA = 'nest-oauth2:scopes';

/** The metadata key of the functions in `@Scopes()`. */
export const SCOPES_OF_METADATA = 'nest-oauth2:scopes-of';

/**
 * A function that returns the scopes that a request requires, such as `toolScopes()` of `nest-oauth2/mcp`. It receives
 * the native request and runs before the token is verified, so its work must be bounded.
 */
export type ScopesOf = (request: { method?: string; headers: object; body?: unknown }) => readonly string[];

/**
 * Requires that the access token has all of these scopes. A function returns scopes that depend on the request. On a
 * method it replaces `@Scopes()` and `@AnyScope()` of the controller. `@Scopes()` without scopes accepts any valid token.
 * @throws {InvalidArgumentError} If a scope is empty or undefined. RFC 6750 §3.1
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

/**
 * Verifies that each value is a single scope value.
 * @throws {InvalidArgumentError} If a value is empty, contains a space or is not a string. RFC 6749 §3.3
 */
export function verifyScopes(scopes: readonly unknown[], decorator = '@Scopes()'): void {
  for (const scope of scopes) {
    const given = typeof scope === 'string' ? `'${scope}'` : String(scope);
    const isValue = typeof scope === 'string' && isScopeValue(scope);
    assertConfig(isValue, `${decorator} takes each scope as a separate argument without spaces. Got ${given}`);
  }
}
