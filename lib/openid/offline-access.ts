import type { Parameters } from '../http/parameters.js';
import type { Scope } from '../model/model.js';
import { coversScope } from '../tokens/scope.js';
import { OFFLINE_ACCESS } from './scopes.js';

/** Does a request say that its client wants to come back without the user, and that the user is asked? OpenID Connect Core §11 */
export function asksForOfflineAccess(parameters: Parameters, scope: Scope | undefined): boolean {
  if (!coversScope(scope, OFFLINE_ACCESS)) return false;
  return parameters.optional('prompt')?.split(' ').includes('consent') ?? false;
}

/** May what is given for this code be refreshed? Of a device its user is always asked. */
export const isOffline = (code: Readonly<Record<string, unknown>>, scope: Scope | undefined): boolean =>
  coversScope(scope, OFFLINE_ACCESS) && (code['offlineAccess'] === true || 'deviceCode' in code);
