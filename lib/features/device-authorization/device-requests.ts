import { InvalidArgumentError } from '../../errors/index.js';
import type { Request } from '../../http/request.js';
import type { Client, Scope, User } from '../../model/model.js';
import type { SignIn } from '../../model/sign-in.js';
import { audienceOf } from '../../tokens/audience.js';
import { signInClaims } from '../../tokens/sign-in-claims.js';
import { countGuess } from './guesses.js';
import { readUserCode, displayedUserCode } from './user-code.js';
import {
  decidePendingRequest,
  type DeviceServer,
  modelOf,
  readPendingRequest,
  type PendingRequest,
} from './pending-request.js';

export type { DeviceServer } from './pending-request.js';

/** Who enters a user code. */
export interface DeviceUser {
  /** Who is signed in. */
  user: User;
  /** From where, as Express or Fastify say; behind a proxy they have to be told to trust it. */
  address?: string | undefined;
  /** The request, where the issuer is a fact of it. */
  request?: Request;
}

/** What a device asks of a user, as it is to be shown to them. */
export interface DeviceRequest<C extends Client = Client> {
  /** Names it; no secret. */
  readonly id: string;
  /** As the device shows it: `WDJB-MJHT`. */
  readonly userCode: string;
  readonly client: C;
  /** What this user would grant: what is to be shown. */
  readonly scope: string | undefined;
  /** The resources that the tokens would be for. RFC 8707 §2 */
  readonly resource: readonly string[];
  /** What features keep of it: `authorization_details`. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date;
}

const shownRequests = new WeakMap<DeviceRequest, PendingRequest>();

/**
 * What a device asks, by the code that a signed-in user has typed; undefined where there is none that waits for its user. RFC 8628
 * §3.3
 * @throws TemporarilyUnavailableError (429) for whoever has entered too many codes. InvalidScopeError where this user cannot grant it
 */
export async function findDeviceRequest(
  { context: server }: DeviceServer,
  typed: string,
  deviceUser: DeviceUser,
): Promise<DeviceRequest | undefined> {
  const model = modelOf(server);
  await countGuess(model, { ...deviceUser, issuer: server.options.issuer });
  const userCode = readUserCode(typed);
  const found = userCode && (await model.getDeviceAuthorizationByUserCode(userCode));
  const waiting = await readPendingRequest(found && { ...found, userCode }, deviceUser, server);
  if (!waiting) return undefined;
  const { id, client, expiresAt, resource } = waiting.authorization;
  const shown: DeviceRequest = {
    id,
    userCode: displayedUserCode(userCode!),
    client,
    scope: waiting.scope,
    resource: audienceOf(resource),
    data: waiting.authorizationRequest.data,
    expiresAt,
  };
  shownRequests.set(shown, waiting);
  return shown;
}

/**
 * Keeps what the user who was shown a request has decided: the very object that `findDeviceRequest()` resolved to. What of the scope they
 * agreed to never widens it. RFC 8628 §3.3
 * @returns whether it counts: of several decisions the first does, and none that comes too late
 */
export async function decideDeviceRequest(
  request: DeviceRequest,
  decision: { allow: boolean; scope?: Scope; signIn?: SignIn | undefined },
): Promise<boolean> {
  const waiting = shownRequests.get(request);
  if (!waiting) throw new InvalidArgumentError('Invalid argument: what is decided is the very object that was found');
  shownRequests.delete(request);
  const { allow, scope, signIn } = decision;
  // A device goes on when the session ends in which it was connected.
  const { sid: _, ...data } = signInClaims(signIn ?? {});
  return await decidePendingRequest(waiting, { allow, scope, ...(signIn && { data }) }, 'device');
}
