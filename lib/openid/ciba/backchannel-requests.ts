import { InvalidArgumentError } from '../../errors/index.js';
import {
  decidePendingRequest,
  type DeviceServer,
  modelOf,
  readPendingRequest,
  type PendingRequest,
} from '../../features/device-authorization/pending-request.js';
import type { Request } from '../../http/request.js';
import type { Scope, User } from '../../model/model.js';
import type { SignIn } from '../../model/sign-in.js';
import { audienceOf } from '../../tokens/audience.js';
import { signInClaims } from '../../tokens/sign-in-claims.js';
import { subjectOf } from '../../tokens/subject.js';
import type { BackchannelRequest } from './ciba-model.js';
import { CIBA } from './ciba-capability.js';
import { storedRequestIn, storageKeyOf } from './stored-request.js';

/** The signed-in user who decides about a backchannel request on their own device. */
export interface BackchannelUser {
  /** The user who is signed in on the device. */
  user: User;
  /** The current request of the user. It is required if the issuer depends on the request, as with tenants. */
  request?: Request;
}

/** The decision of a user about a backchannel request. */
export interface BackchannelDecision {
  allow: boolean;
  /** The scope that the user grants. Default: the whole scope that was shown. */
  scope?: Scope;
  /** How the user signed in to make this decision. If omitted, this is unknown. */
  signIn?: SignIn;
}

const pendingRequests = new WeakMap<BackchannelRequest, PendingRequest>();

/**
 * Returns a pending backchannel request of this user, by the `id` that the model method `askUser()` received. Returns
 * `undefined` if the request is not pending, or is for another user.
 * @throws {InvalidScopeError} If the user cannot grant the requested scope.
 */
export async function findBackchannelRequest(
  { context: server }: DeviceServer,
  id: string,
  { user, request }: BackchannelUser,
): Promise<BackchannelRequest | undefined> {
  const name = storageKeyOf(id);
  const authorization = await modelOf(server).getDeviceAuthorizationByUserCode(name);
  const stored = authorization ? storedRequestIn(authorization) : undefined;
  if (!authorization || !stored || stored.sub !== subjectOf(user, authorization.client)) return undefined;
  const pending = await readPendingRequest({ ...authorization, userCode: name }, { user, request }, server);
  return pending && toBackchannelRequest(id, pending);
}

function toBackchannelRequest(id: string, pending: PendingRequest): BackchannelRequest {
  const { authorization, authorizationRequest, scope, user } = pending;
  const { backchannel: _, ...data } = authorizationRequest.data;
  const { bindingMessage, acrValues } = storedRequestIn(authorization)!;
  const { client, expiresAt, resource } = authorization;
  const request: BackchannelRequest = {
    id,
    client,
    user,
    scope,
    resource: audienceOf(resource),
    data,
    acrValues,
    ...(bindingMessage !== undefined && { bindingMessage }),
    expiresAt,
  };
  pendingRequests.set(request, pending);
  return request;
}

/**
 * Stores the decision of a user about a backchannel request, and notifies the client if it uses the `ping` mode. The
 * scope of the decision can only narrow the shown scope.
 * @param request The object that `findBackchannelRequest()` returned or that `askUser()` received, not a copy of it.
 * @returns Whether the decision was accepted. A decision after the expiry, or after another decision, is not.
 */
export async function decideBackchannelRequest(
  request: BackchannelRequest,
  { allow, scope, signIn }: BackchannelDecision,
): Promise<boolean> {
  const pending = pendingRequests.get(request);
  if (!pending)
    throw new InvalidArgumentError(
      'Invalid argument: `request` must be the object that `findBackchannelRequest()` returned or `askUser()` received, and can be decided only once',
    );
  const data = signIn && signInClaims(signIn);
  pendingRequests.delete(request);
  const isAccepted = await decidePendingRequest(pending, { allow, scope, ...(data && { data }) }, CIBA_ENDPOINT);
  if (isAccepted) await pending.server.find(CIBA)!.notifyClient(pending.authorization, request.id);
  return isAccepted;
}

/** The ID of the endpoint for backchannel authentication requests. */
export const CIBA_ENDPOINT = 'backchannel_authentication';
