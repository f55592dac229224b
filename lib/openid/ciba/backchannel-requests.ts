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

/** Who answers on a device of theirs. */
export interface BackchannelUser {
  /** Who is signed in there. */
  user: User;
  /** The request, where the issuer is a fact of it. */
  request?: Request;
}

/** What a user was asked, and says. */
export interface BackchannelDecision {
  allow: boolean;
  /** What of the scope they agree to. Default: all that was shown */
  scope?: Scope;
  /** How they proved who they are when they agreed. */
  signIn?: SignIn;
}

const pendingRequests = new WeakMap<BackchannelRequest, PendingRequest>();

/**
 * What a client asks of this user, by the `id` that `askUser()` of the model was given; undefined where that does not wait for them.
 * @throws InvalidScopeError where they cannot grant it
 */
export async function findBackchannelRequest(
  { context: server }: DeviceServer,
  id: string,
  { user, request }: BackchannelUser,
): Promise<BackchannelRequest | undefined> {
  const name = storageKeyOf(id);
  const found = await modelOf(server).getDeviceAuthorizationByUserCode(name);
  const kept = found ? storedRequestIn(found) : undefined;
  if (!found || !kept || kept.sub !== subjectOf(user)) return undefined;
  const waiting = await readPendingRequest({ ...found, userCode: name }, { user, request }, server);
  return waiting && toBackchannelRequest(id, waiting);
}

function toBackchannelRequest(id: string, waiting: PendingRequest): BackchannelRequest {
  const { authorization: found, authorizationRequest: asked, scope, user } = waiting;
  const { backchannel: _, ...data } = asked.data;
  const { bindingMessage, acrValues } = storedRequestIn(found)!;
  const { client, expiresAt, resource } = found;
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
  pendingRequests.set(request, waiting);
  return request;
}

/**
 * Keeps what the user has decided on the very object that `findBackchannelRequest()` resolved to, or that `askUser()` was given, and tells
 * the client if that wants to be told. What of the scope they agreed to never widens it.
 * @returns whether it counts: of several decisions the first does, and none that comes too late
 */
export async function decideBackchannelRequest(
  request: BackchannelRequest,
  { allow, scope, signIn }: BackchannelDecision,
): Promise<boolean> {
  const waiting = pendingRequests.get(request);
  if (!waiting) throw new InvalidArgumentError('Invalid argument: what is decided is the very object that was found');
  const data = signIn && signInClaims(signIn);
  pendingRequests.delete(request);
  const counts = await decidePendingRequest(waiting, { allow, scope, ...(data && { data }) }, CIBA_ENDPOINT);
  if (counts) await waiting.server.find(CIBA)!.notifyClient(waiting.authorization, request.id);
  return counts;
}

/** The id of the endpoint at which clients ask. */
export const CIBA_ENDPOINT = 'backchannel_authentication';
