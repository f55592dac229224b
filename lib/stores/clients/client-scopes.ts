import { InvalidScopeError } from '../../errors/index.js';
import type { Scope } from '../../model/model.js';
import { coversScope, SCOPE_MISSING, scopeText } from '../../tokens/scope.js';
import type { StoredClient } from '../contract/ports.js';

const SET_DEFAULT = 'Send `scope` in the request, or set `defaultScope` of the client';

/**
 * Returns which scope a client gets that requests `scope`. `true`: the requested scope. A string: the client's
 * `defaultScope`, since the request has no scope. `false`: none, since a value is not registered for the client.
 * @throws {InvalidScopeError} If the request has no scope, and the client has `scopes` but no `defaultScope`.
 * RFC 6749 §3.3, RFC 9396 §3.1
 */
export function scopeFor(client: StoredClient, scope: Scope | undefined): boolean | string {
  const { scopes, defaultScope = null } = client;
  if (scope) return coversScope(scopes, scope);
  const granted = scopeText(defaultScope);
  if (granted) return coversScope(scopes, granted) && granted;
  if (defaultScope === null && scopes?.length) {
    const detail = {
      reason: 'client requested no scope and has no `defaultScope`',
      expected: scopes,
      remedy: SET_DEFAULT,
    };
    throw new InvalidScopeError(SCOPE_MISSING).because(detail);
  }
  return true;
}
