import { InvalidScopeError } from '../errors/index.js';
import type { Scope } from '../model/model.js';
import { coversScope, SCOPE_MISSING, scopeText } from '../tokens/scope.js';
import type { StoredClient } from './ports.js';

const SET_DEFAULT = 'send `scope` in the request, or set `defaultScope` of the client';

/**
 * Returns the scope to grant to a client that requests `scope`: `true` for the requested scope, the client's
 * `defaultScope` if the request has none, or `false` if the client is not registered for it. RFC 6749 §3.3, RFC 9396
 * §3.1
 *
 * @throws {InvalidScopeError} If the request has no scope, and the client has scopes without a default.
 */
export function scopeFor(client: StoredClient, scope: Scope | undefined): boolean | string {
  const { scopes, defaultScope = null } = client;
  if (scope) return coversScope(scopes, scope);
  const granted = scopeText(defaultScope);
  if (granted) return coversScope(scopes, granted) && granted;
  if (defaultScope === null && scopes?.length) {
    const detail = {
      reason: 'a client without a `defaultScope` asks for a scope',
      expected: scopes,
      remedy: SET_DEFAULT,
    };
    throw new InvalidScopeError(SCOPE_MISSING).because(detail);
  }
  return true;
}
