import { InvalidArgumentError } from '../../errors/index.js';
import {
  decideWaiting,
  type DeviceServer,
  modelOf,
  readWaiting,
  type Waiting,
} from '../../features/device-authorization/waiting.js';
import type { Request } from '../../http/request.js';
import type { Scope, User } from '../../model/model.js';
import type { SignIn } from '../../model/sign-in.js';
import { audienceOf } from '../../tokens/audience.js';
import { keptOf } from '../../tokens/signed-in.js';
import { subjectOf } from '../../tokens/subject.js';
import type { BackchannelRequest } from './ciba-model.js';
import { CIBA } from './ciba-capability.js';
import { keptIn, nameOf } from './kept.js';

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

const underWay = new WeakMap<BackchannelRequest, Waiting>();

/**
 * What a client asks of this user, by the `id` that `askUser()` of the model was given; undefined where that does not wait for them.
 * @throws InvalidScopeError where they cannot grant it
 */
export async function findBackchannelRequest(
  { facts: server }: DeviceServer,
  id: string,
  { user, request }: BackchannelUser,
): Promise<BackchannelRequest | undefined> {
  const name = nameOf(id);
  const found = await modelOf(server).getDeviceAuthorizationByUserCode(name);
  const kept = found ? keptIn(found) : undefined;
  if (!found || !kept || kept.sub !== subjectOf(user)) return undefined;
  const waiting = await readWaiting({ ...found, userCode: name }, { user, request }, server);
  return waiting && shown(id, waiting);
}

function shown(id: string, waiting: Waiting): BackchannelRequest {
  const { found, asked, scope, user } = waiting;
  const { backchannel: _, ...data } = asked.data;
  const { bindingMessage, acrValues } = keptIn(found)!;
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
  underWay.set(request, waiting);
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
  const waiting = underWay.get(request);
  if (!waiting) throw new InvalidArgumentError('Invalid argument: what is decided is the very object that was found');
  const data = signIn && keptOf(signIn);
  underWay.delete(request);
  const counts = await decideWaiting(waiting, { allow, scope, ...(data && { data }) }, ENDPOINT);
  if (counts) await waiting.server.find(CIBA)!.notifyClient(waiting.found, request.id);
  return counts;
}

/** The id of the endpoint at which clients ask. */
export const ENDPOINT = 'backchannel_authentication';
