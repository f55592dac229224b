import { isObject } from '../http/is-object.js';
import { isScopeValue } from '../http/syntax.js';
import { OPENID_SCOPE, RESERVED } from './scopes.js';

/** Returns the first configuration error in the option `scopes` of `openid()`. `undefined` if it is valid. */
export function findScopeClaimsError(scopes: unknown, name: string, owner: string): string | undefined {
  const option = `\`${name}\` of ${owner}`;
  if (!isObject(scopes)) return `${option} must be an object of lists, such as \`{ groups: ['groups'] }\``;
  for (const [scope, claims] of Object.entries(scopes)) {
    if (!isScopeValue(scope) || scope === OPENID_SCOPE) {
      return `${option} contains \`${scope}\`, which cannot be a scope for claims`;
    }
    if (claims === false) continue;
    if (!Array.isArray(claims) || !claims.every((one) => typeof one === 'string' && one !== '')) {
      return `${option} must contain a list of claims for \`${scope}\`, or \`false\``;
    }
    const reserved = (claims as string[]).find((one) => RESERVED.has(one));
    if (reserved !== undefined) {
      return `${option} contains the claim \`${reserved}\`, which the server sets itself. Remove it`;
    }
  }
  return undefined;
}
