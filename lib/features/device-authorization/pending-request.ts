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

/** An undecided request of a device, with the scope that this user would be granted. */
export interface PendingRequest {
  readonly authorization: DeviceAuthorization;
  readonly authorizationRequest: AuthorizationRequest;
  readonly user: User;
  /** The part of the requested scope that this user would be granted. */
  readonly scope: string | undefined;
  readonly server: ServerContext;
}

/** The part of an `OAuth2Server` that the functions for device requests use. */
export interface DeviceServer {
  readonly context: ServerContext;
}

/** The user who decides on a request of a device. */
interface DecidingUser {
  user: User;
  /** The current request. Required if the issuer depends on it, as for tenants. */
  request?: Request | undefined;
}

export const modelOf = (server: ServerContext) => server.options.model as Model & DeviceAuthorizationModel & OnceModel;

/**
 * Returns the stored request with the scope that this user would be granted. `undefined` if the request is decided,
 * expired or of another issuer.
 * @throws {InvalidScopeError} If this user cannot grant the requested scope.
 */
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
    { ...server.options, ignorableScopes: server.ignorableScopes, defaultScope: server.defaultScope },
    { client, user, ...(scope && { scope }) },
    !hasDetails(data),
  );
  const authorizationRequest = deviceAuthorizationRequest(client, {
    ...(scope && { requestedScope: scopeText(scope) }),
    issuer,
    data,
    request,
  });
  for (const approve of server.hooks.authorization.approve) await approve(authorizationRequest, { user });
  return { authorization, authorizationRequest, user, scope: grantable, server };
}

/** The decision of a user on a request of a device. */
interface UserDecision {
  allow: boolean;
  scope?: Scope | undefined;
  /** Further members to store with the request if the user consents. */
  data?: object;
}

/**
 * Saves the user's decision on a request of a device or of CIBA, and emits its events.
 * @param endpoint The endpoint ID in the events.
 * @returns Whether the decision was saved. `false` if the request was already decided or has expired.
 */
export async function decidePendingRequest(
  { authorization, authorizationRequest, user, scope: grantable, server }: PendingRequest,
  { allow: isAllowed, scope: requestedScope, data: furtherData }: UserDecision,
  endpoint: string,
): Promise<boolean> {
  if (isExpired(authorization.expiresAt)) return false;
  const scope = requestedScope === undefined ? grantable : scopeText(withinScope(grantable, requestedScope));
  const { approve } = server.hooks.authorization;
  const data =
    approve.length > 0 || furtherData
      ? { data: { ...(approve.length > 0 && authorizationRequest.data), ...furtherData } }
      : {};
  const counts = await modelOf(server).decideDeviceAuthorization(
    authorization,
    isAllowed ? { user, scope, ...data } : {},
  );
  if (counts) reportDecision(server, { authorization, user, scope, isAllowed, endpoint });
  return Boolean(counts);
}

function reportDecision(
  { options: { events } }: ServerContext,
  {
    authorization,
    user,
    scope,
    isAllowed,
    endpoint,
  }: {
    authorization: DeviceAuthorization;
    user: User;
    scope: string | undefined;
    isAllowed: boolean;
    endpoint: string;
  },
): void {
  const { client, issuer } = authorization;
  const details = { endpoint, issuer, clientId: client.id, userId: user['id'] as unknown, scope };
  for (const name of isAllowed ? (['consent.given', 'authorization.granted'] as const) : []) {
    if (hasListener(events, name)) reportEvent(events, name, details);
  }
  if (isAllowed || !hasListener(events, 'consent.denied')) return;
  const refusal = { error: 'access_denied', description: 'Access denied: the user denied the request', status: 400 };
  reportEvent(events, 'consent.denied', { ...details, ...refusal });
}
