import { InvalidArgumentError } from '../../errors/index.js';
import type { Request } from '../../http/request.js';
import type { Awaitable, Client, Scope, User } from '../../model/model.js';
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

/** The signed-in user who enters a user code, and the address and request from which the code was entered. */
export interface DeviceUser {
  /** The signed-in user. */
  user: User;
  /**
   * The IP address of the user, such as `request.ip` of Express or Fastify. Behind a proxy, set their `trust proxy`
   * option. If omitted, entered codes are not counted by network.
   */
  address?: string | undefined;
  /** The current request. Required if the issuer depends on it, as for tenants. */
  request?: Request;
}

/** The request of a device, with the details that the user should see before deciding. */
export interface DeviceRequest<C extends Client = Client> {
  /** The id of the stored device authorization request. It is not secret. */
  readonly id: string;
  /** The user code in the form that the device shows: `WDJB-MJHT`. */
  readonly userCode: string;
  readonly client: C;
  /** The part of the requested scope that this user would be granted. */
  readonly scope: string | undefined;
  /** The resources that the tokens would be issued for. Empty if they are not restricted. RFC 8707 §2 */
  readonly resource: readonly string[];
  /** Members that features have read from the request, such as `authorization_details`. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date;
}

/** The decision of a user on the request of a device. */
interface DeviceUserDecision {
  allow: boolean;
  /** The scope that the user consents to. If omitted, the whole scope of the request. */
  scope?: Scope;
  /** How the user signed in. If omitted, no information about the login is stored. */
  signIn?: SignIn | undefined;
  /**
   * Returns whether the user is still signed in. It is called once the decision is saved: if the user was signed out
   * meanwhile, the decision is revoked. If omitted, it is not verified.
   */
  isSignedIn?: (() => Awaitable<boolean>) | undefined;
}

const shownRequests = new WeakMap<DeviceRequest, PendingRequest>();

/**
 * Finds the request of a device by the user code that a signed-in user has typed. Returns `undefined` if no undecided,
 * unexpired request has this code. RFC 8628 §3.3
 * @throws {TemporarilyUnavailableError} With status 429, if too many codes were entered.
 * @throws {InvalidScopeError} If this user cannot grant the requested scope.
 */
export async function findDeviceRequest(
  { context: server }: DeviceServer,
  typed: string,
  deviceUser: DeviceUser,
): Promise<DeviceRequest | undefined> {
  const model = modelOf(server);
  const { request } = deviceUser;
  const issuer = request ? server.issuerOf(request) : server.options.issuer;
  await countGuess(model, { ...deviceUser, issuer });
  const userCode = readUserCode(typed);
  const stored = userCode && (await model.getDeviceAuthorizationByUserCode(userCode));
  const pending = await readPendingRequest(stored && { ...stored, userCode }, deviceUser, server);
  if (!pending) return undefined;
  const { id, client, expiresAt, resource } = pending.authorization;
  const shown: DeviceRequest = {
    id,
    userCode: displayedUserCode(userCode!),
    client,
    scope: pending.scope,
    resource: audienceOf(resource),
    data: pending.authorizationRequest.data,
    expiresAt,
  };
  shownRequests.set(shown, pending);
  return shown;
}

/**
 * Saves the user's decision on a request that `findDeviceRequest()` returned. `scope` can narrow the scope in the
 * request, but not widen it. If omitted, that whole scope is granted. RFC 8628 §3.3
 * @returns Whether the decision was saved. `false` if the request was already decided or has expired.
 * @throws {InvalidArgumentError} If `request` is another object, or was passed before.
 */
export async function decideDeviceRequest(request: DeviceRequest, decision: DeviceUserDecision): Promise<boolean> {
  const pending = shownRequests.get(request);
  if (!pending)
    throw new InvalidArgumentError(
      'Invalid argument: `request` must be the object returned by `findDeviceRequest()`, and can be decided only once',
    );
  shownRequests.delete(request);
  const { allow, scope, signIn, isSignedIn } = decision;
  // The session ID is not stored, because the tokens of the device must outlive the session.
  const { sid: _, ...data } = signInClaims(signIn ?? {});
  const isDecided = await decidePendingRequest(pending, { allow, scope, ...(signIn && { data }) }, 'device');
  if (!isDecided || !allow || !isSignedIn || (await isSignedIn())) return isDecided;
  await revokeDecided(pending);
  return false;
}

/** Revokes the grant of a user who was signed out while the decision was saved. The device may have redeemed its code. */
async function revokeDecided({ authorization, server }: PendingRequest): Promise<void> {
  const model = modelOf(server);
  await model.revokeDeviceCode(authorization);
  const decided = await model.getDeviceAuthorizationByUserCode(authorization.userCode!);
  if (decided && decided.grantId !== undefined) await model.revokeGrant?.(decided.grantId);
}
