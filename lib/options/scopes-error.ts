import { isScopeValue } from '../http/syntax.js';

/** What is wrong with a list of scope values that a host gives to a feature, as a sentence. RFC 6749 §3.3 */
export function findScopesError(scopes: unknown, feature: string): string | undefined {
  if (!Array.isArray(scopes)) return `\`scopes\` of ${feature} must be a list of scope values`;
  const odd: unknown = scopes.find((scope) => typeof scope !== 'string' || !isScopeValue(scope));
  return odd === undefined ? undefined : `\`scopes\` of ${feature} lists \`${String(odd)}\`, which is no scope value`;
}
