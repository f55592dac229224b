import { hash } from 'node:crypto';

import type { Authorization } from '../../contracts/authorization.js';
import type { GrantHandler, TokenRequest } from '../../contracts/token-request.js';
import {
  AccessDeniedError,
  AuthorizationPendingError,
  ExpiredTokenError,
  InvalidGrantError,
  type OAuthError,
  ServerError,
  SlowDownError,
} from '../../errors/index.js';
import { rejectReplay, replayOptionsOf, unknownDetail, verifyOwner } from '../../endpoints/token/replay.js';
import { required } from '../../http/parameters.js';
import { isVSCHAR } from '../../http/syntax.js';
import type { Model, OnceModel, Token, User } from '../../model/model.js';
import { copySignInClaims } from '../../tokens/sign-in-claims.js';
import { isExpired } from '../../tokens/lifetime.js';
import { DEVICE_METHODS, type DeviceAuthorization, type DeviceAuthorizationModel } from './device-model.js';

/**
 * Seconds by which a client that polls too fast must increase its interval. The next constant is the maximum. RFC 8628
 * §3.5
 */
const SLOW_DOWN_STEP = 5;
const MAX_INTERVAL = 60;
/** Tolerated network delay in seconds: the interval is measured where a poll arrives. */
const LEEWAY = 1;

/** The settings of a grant for which clients poll. */
export interface PolledGrantOptions {
  /** The parameter that the client polls with. */
  readonly parameter: string;
  /** The name of that parameter's value in messages, such as `device code`. */
  readonly kind: string;
  /** Returns the device code by which the model finds the request. If omitted, that is the value of the parameter. */
  readonly deviceCodeOf?: (value: string) => string;
  /** Returns members that features read from `request.code` besides the stored ones. */
  readonly furtherMembers?: (value: string) => object;
}

/** Returns a grant for clients that poll until their user has decided on another device. RFC 8628 §3.4, CIBA §10.1 */
export const polledGrant = (polled: PolledGrantOptions): GrantHandler =>
  Object.assign((request: TokenRequest) => redeemPolled(request, polled), {
    requires: [...DEVICE_METHODS, 'saveToken'],
  });

async function redeemPolled(
  request: TokenRequest,
  { parameter, kind: what, deviceCodeOf: keyOf, furtherMembers: also }: PolledGrantOptions,
): Promise<Token> {
  const { client } = request;
  const value = required(request.request, parameter, isVSCHAR);
  const deviceCode = keyOf ? keyOf(value) : value;
  const stored = await findStored(deviceCode, what, request);
  if (stored.revokedAt) return await rejectConsumed(stored, what, request);
  if (isExpired(stored.expiresAt)) throw new ExpiredTokenError(`Expired token: the ${what} has expired`);
  if (stored.isDenied) throw new AccessDeniedError('Access denied: the user denied the request');
  const { user, scope, grantId } = stored;
  if (!user) throw await pending(deviceCode, stored, request);

  const found = { ...stored, deviceCode };
  request.code = { ...found, ...also?.(value) };
  const extra: Record<string, unknown> = {};
  copySignInClaims(extra, found);
  const scopeStatus = 'consented';
  const authorization: Authorization = { client, user, scope, scopeStatus, refreshable: true, grantId, extra };
  const model = modelOf(request);
  return await request.redeem(authorization, {
    consumeAndSave: model.redeemDeviceCode && ((token) => model.redeemDeviceCode!(found, token, client, user)),
    consume: () => model.revokeDeviceCode(found),
    handleReplay: () => Promise.reject(consumedError(what)),
  });
}

const modelOf = ({ options }: TokenRequest) => options.model as Model & DeviceAuthorizationModel & OnceModel;

async function findStored(deviceCode: string, what: string, request: TokenRequest): Promise<DeviceAuthorization> {
  const { client, issuer } = request;
  const found = await modelOf(request).getDeviceAuthorization(deviceCode);
  if (!found) throw new InvalidGrantError(`Invalid grant: ${what} is invalid`).because(unknownDetail(what));
  // A pending request has no user yet.
  const whole = { ...found, user: found.user ?? NO_USER };
  verifyOwner(whole, client, { finder: 'getDeviceAuthorization', what, issuer });
  if (!(found.expiresAt instanceof Date)) throw new ServerError('Server error: `expiresAt` must be a Date instance');
  return found;
}

/**
 * Returns the error for a request that is not decided yet. The model counts polls for all processes, one per interval.
 * An earlier poll makes the interval longer. A poll after the decision is never too early, since CIBA may have notified
 * the client.
 */
async function pending(deviceCode: string, found: DeviceAuthorization, request: TokenRequest): Promise<OAuthError> {
  const model = modelOf(request);
  const poll = hash('sha256', `poll ${deviceCode}`, 'base64url');
  if (await model.once(poll, Math.max(found.interval - LEEWAY, 1))) return notDecided();
  if (found.interval < MAX_INTERVAL) await model.slowDownDevice(found, found.interval + SLOW_DOWN_STEP);
  return tooFast();
}

/**
 * Rejects a code that was already redeemed. A repeated poll within one interval is harmless; a later one is treated as
 * a replay.
 */
async function rejectConsumed(found: DeviceAuthorization, what: string, request: TokenRequest): Promise<never> {
  const ago = found.revokedAgo ?? (Date.now() - found.revokedAt!.getTime()) / 1000;
  if (ago < found.interval) throw consumedError(what);
  return await rejectReplay({ ...found, user: found.user ?? NO_USER }, what, replayOptionsOf(request));
}

const NO_USER: User = {};

const consumedError = (what: string) => {
  const detail = { reason: `${what} was already used`, given: 'spent' };
  return new InvalidGrantError(`Invalid grant: ${what} is invalid`).because(detail);
};

const notDecided = () => new AuthorizationPendingError('Authorization pending: the user has not decided yet');
const tooFast = () => new SlowDownError(`Slow down: wait ${SLOW_DOWN_STEP} seconds longer between two requests`);
