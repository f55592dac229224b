import { hasDetails } from '../../contracts/authorization-details.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { AuthorizationRequest, Decision } from '../../contracts/response-type.js';
import type { User } from '../../model/model.js';
import { approveScope } from '../../tokens/scope.js';
import type { AuthorizationContext } from './authorization-context.js';

/**
 * Returns the part of the requested scope that this user would be granted. Features validate the request for this user.
 * @throws {InvalidScopeError} If the user would be granted none of it. RFC 6749 §3.3
 */
export function findGrantableScope(
  { scopeOptions, server }: AuthorizationContext,
  request: AuthorizationRequest,
  user: User,
): Promise<string | undefined> {
  const { client, requestedScope: scope, data } = request;
  const finding = approveScope(scopeOptions, { client, user, scope }, !hasDetails(data));
  return server.hooks.authorization.approve.length === 0 ? finding : approveForUser(finding, request, { user, server });
}

async function approveForUser(
  finding: Promise<string | undefined>,
  request: AuthorizationRequest,
  { user, server }: { user: User; server: ServerContext },
): Promise<string | undefined> {
  const scope = (request.grantableScope = await finding);
  await approveRequest(request, { user }, server);
  return scope;
}

/** Lets the features validate and complete a request for a user, or a decision of the user. RFC 9396 §7.1 */
export async function approveRequest(
  request: AuthorizationRequest,
  by: { user: User; decision?: Decision },
  { hooks }: Pick<ServerContext, 'hooks'>,
): Promise<void> {
  for (const hook of hooks.authorization.approve) await hook(request, by);
}
