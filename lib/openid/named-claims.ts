import type { AskedClaims } from './claims-parameter.js';
import { RESERVED } from './scopes.js';

/** What of its user a request asks for by name, whatever its scope stands for: what they should be shown. OpenID Connect Core §5.5 */
export function namedClaims(data: Readonly<Record<string, unknown>>): readonly string[] {
  const { userinfo = {}, id_token = {} } = (data['askedClaims'] ?? {}) as AskedClaims;
  return [...new Set([...Object.keys(userinfo), ...Object.keys(id_token)])].filter((name) => !RESERVED.has(name));
}
