import { isScopeValue } from '../http/syntax.js';

/**
 * Returns the configuration error for a list of scope values that the application passes to a feature. `undefined` if
 * the list is valid. RFC 6749 §3.3
 */
export function findScopesError(scopes: unknown, feature: string): string | undefined {
  if (!Array.isArray(scopes)) return `\`scopes\` of ${feature} must be a list of scope values`;
  const invalid: unknown = scopes.find((scope) => typeof scope !== 'string' || !isScopeValue(scope));
  return invalid === undefined
    ? undefined
    : `\`scopes\` of ${feature} contains \`${String(invalid)}\`, which is not a valid scope value`;
}
