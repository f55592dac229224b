import { hasListener, reportEvent } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Request } from '../../http/request.js';
import type { Falsy, Model, OnceModel, Scope, User } from '../../model/model.js';
import type { AuthorizationRequest } from '../../contracts/response-type.js';
import { hasDetails } from '../../contracts/authorization-details.js';
import { isOfIssuer } from '../../tokens/issuer.js';
import { isExpired } from '../../tokens/lifetime.js';
import { approveScope, scopeText, withinScope } from '../../tokens/scope.js';
import { deviceAuthorizationRequest, featureDataOf } from './device-authorization-request.js';
import type { DeviceAuthorization, DeviceAuthorizationModel } from './device-model.js';

/** A request that waits for its user, as that user would grant it. */
export interface PendingRequest {
  readonly authorization: DeviceAuthorization;
  readonly authorizationRequest: AuthorizationRequest;
  readonly user: User;
  /** What this user would grant. */
  readonly scope: string | undefined;
  readonly server: ServerContext;
}

/** The server of a device request: an `OAuth2Server`. */
export interface DeviceServer {
  readonly context: ServerContext;
}

/** Who decides. */
interface DecidingUser {
  user: User;
  /** The request, where the issuer is a fact of it. */
  request?: Request | undefined;
}

export const modelOf = (server: ServerContext) => server.options.model as Model & DeviceAuthorizationModel & OnceModel;

/** What was found, if it waits for its user. @throws InvalidScopeError where this one cannot grant it */
export async function readPendingRequest(
  authorization: DeviceAuthorization | Falsy,
  { user, request }: DecidingUser,
  server: ServerContext,
): Promise<PendingRequest | undefined> {
  if (
    !authorization ||
    authorization.user ||
    authorization.isDenied ||
    authorization.revokedAt ||
    isExpired(authorization.expiresAt)
  )
    return undefined;
  const issuer = request ? server.issuerOf(request) : server.options.issuer;
  if (!isOfIssuer(authorization, issuer)) return undefined;
  const { client, scope } = authorization;
  const data = featureDataOf(authorization);
  const grantable = await approveScope(
    { ...server.options, ignorableScopes: server.ignorableScopes },
    { client, user, ...(scope && { scope }) },
    !hasDetails(data),
  );
  const asked = deviceAuthorizationRequest(client, {
    ...(scope && { requestedScope: scopeText(scope) }),
    issuer,
    data,
    request,
  });
  for (const approve of server.hooks.authorization.approve) await approve(asked, { user });
  return { authorization, authorizationRequest: asked, user, scope: grantable, server };
}

/** What was decided. */
interface UserDecision {
  allow: boolean;
  scope?: Scope | undefined;
  /** What is kept beside it of an agreement. */
  data?: object;
}

/**
 * Keeps what a user has decided, and tells the operator.
 * @param endpoint where, for the operator
 * @returns whether it counts: of several decisions the first does, and none that comes too late
 */
export async function decidePendingRequest(
  { authorization: found, authorizationRequest: asked, user, scope: grantable, server }: PendingRequest,
  { allow: isAllowed, scope: wanted, data: more }: UserDecision,
  endpoint: string,
): Promise<boolean> {
  if (isExpired(found.expiresAt)) return false;
  const scope = wanted === undefined ? grantable : scopeText(withinScope(grantable, wanted));
  const { approve } = server.hooks.authorization;
  const data = approve.length > 0 || more ? { data: { ...(approve.length > 0 && asked.data), ...more } } : {};
  const counts = await modelOf(server).decideDeviceAuthorization(found, isAllowed ? { user, scope, ...data } : {});
  if (counts) reportDecision(server, { found, user, scope, isAllowed, endpoint });
  return Boolean(counts);
}

function reportDecision(
  { options: { events } }: ServerContext,
  {
    found,
    user,
    scope,
    isAllowed,
    endpoint,
  }: { found: DeviceAuthorization; user: User; scope: string | undefined; isAllowed: boolean; endpoint: string },
): void {
  const { client, issuer } = found;
  const facts = { endpoint, issuer, clientId: client.id, userId: user['id'] as unknown, scope };
  for (const name of isAllowed ? (['consent.given', 'authorization.granted'] as const) : []) {
    if (hasListener(events, name)) reportEvent(events, name, facts);
  }
  if (isAllowed || !hasListener(events, 'consent.denied')) return;
  const said = { error: 'access_denied', description: 'Access denied: the user said no', status: 400 };
  reportEvent(events, 'consent.denied', { ...facts, ...said });
}
