import type { RequestedClaims } from './claims-parameter.js';
import { RESERVED } from './scopes.js';

/**
 * Returns the names of the claims that a request contains in its parameter `claims`. They are shown to the user. OpenID
 * Connect Core §5.5
 */
export function namedClaims(data: Readonly<Record<string, unknown>>): readonly string[] {
  const { userinfo = {}, id_token = {} } = (data['askedClaims'] ?? {}) as RequestedClaims;
  return [...new Set([...Object.keys(userinfo), ...Object.keys(id_token)])].filter((name) => !RESERVED.has(name));
}
