import {
  InsufficientScopeError,
  isClientItself,
  type OAuth2Server,
  type OAuthError,
  type Request,
  type Response,
  type Token,
} from '../../lib/index.js';
import { rejectRequest, reportAccessRefusal } from '../../lib/endpoints/resource/refusal.js';
import { userAuthenticationFault } from '../../lib/endpoints/resource/user-authentication.js';
import { coversScope, scopeForModel, scopeText } from '../../lib/tokens/scope.js';
import { withContext } from '../module/oauth2-context.js';
import type { Demand } from './demand.js';

interface Visit {
  request: Request;
  response: Response;
}

/** Checks what a route demands of a good token, beside scopes it must have all. RFC 6750 §3.1 */
export function verifyDemand(server: OAuth2Server, demand: Demand, token: Token, visit: Visit): Promise<void> {
  return withContext(server, visit.request, () => verify(server, demand, token, visit));
}

async function verify(
  server: OAuth2Server,
  { any, user, auth, roles, options: route }: Demand,
  token: Token,
  { request, response }: Visit,
): Promise<void> {
  let error: OAuthError | undefined;
  let scope: string | undefined;
  if (any && !(await hasAny(server, any, token, response))) {
    scope = any.join(' ');
    error = new InsufficientScopeError('Insufficient scope: authorized scope is insufficient');
  } else if (user && isClientItself(token.user)) {
    const detail = { rule: 'a user stands behind the token', given: 'a client that acts for itself' };
    error = new InsufficientScopeError(NO_USER).because(detail);
  } else if (roles && !hasRole(token, roles)) {
    const detail = { rule: 'the user has one of the roles', wanted: roles.join(' '), given: rolesOf(token).join(' ') };
    error = new InsufficientScopeError('Insufficient scope: the user lacks a required role').because(detail);
  } else if (auth) {
    error = userAuthenticationFault(token, auth);
  }
  if (!error) return;
  reportAccessRefusal(server.events, error, {
    token,
    required: scope ?? route?.scope,
    issuer: server.facts?.issuerOf(request),
  });
  throw rejectRequest(response, error, { request, options: server.facts?.options, server: server.facts, scope });
}

/** Returns the names of roles that the user has. A model may return roles that are objects, which have no text to report. */
function rolesOf({ user }: Token): readonly string[] {
  const { roles }: { roles?: unknown } = user;
  return Array.isArray(roles) ? roles.filter((role): role is string => typeof role === 'string') : [];
}

const hasRole = (token: Token, roles: readonly string[]) => rolesOf(token).some((role) => roles.includes(role));

const NO_USER = 'Insufficient scope: the client acts for itself, and a user is required';

async function hasAny(
  { facts }: OAuth2Server,
  any: readonly string[],
  token: Token,
  { headers }: Response,
): Promise<boolean> {
  const { model, scopeFormat, addAcceptedScopesHeader, addAuthorizedScopesHeader } = facts.options;
  if (addAcceptedScopesHeader) headers['x-accepted-oauth-scopes'] = any.join(' ');
  for (const one of any) {
    const wanted = scopeForModel(one, scopeFormat)!;
    if (!(await (model.verifyScope ? model.verifyScope(token, wanted) : coversScope(token.scope, wanted)))) continue;
    const granted = addAuthorizedScopesHeader && scopeText(token.scope);
    if (granted) headers['x-oauth-scopes'] = granted;
    return true;
  }
  return false;
}
