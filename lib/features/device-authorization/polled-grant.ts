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
import { rejectReplay, unknownDetail, verifyOwner } from '../../endpoints/token/replay.js';
import { required } from '../../http/parameters.js';
import { isVSCHAR } from '../../http/syntax.js';
import type { Model, OnceModel, Token, User } from '../../model/model.js';
import { copySignInClaims } from '../../tokens/sign-in-claims.js';
import { isExpired } from '../../tokens/lifetime.js';
import { DEVICE_METHODS, type DeviceAuthorization, type DeviceAuthorizationModel } from './device-model.js';

/** Seconds by which the interval grows each time a client polls too fast. RFC 8628 §3.5 */
const SLOW_DOWN_STEP = 5;
/** An interval of this many seconds or more is not increased further if a client polls too fast. RFC 8628 §3.5 */
const MAX_INTERVAL = 60;
/**
 * Tolerated seconds by which a poll may come earlier than the interval allows, because the network delays polls
 * differently.
 */
const LEEWAY = 1;

/** The settings of a grant for which clients poll. */
export interface PolledGrantOptions {
  /** The name of the token request parameter that the client polls with, such as `device_code`. */
  readonly parameter: string;
  /** The name of the parameter's value in messages, such as `device code`. */
  readonly kind: string;
  /**
   * Converts the value of the token request parameter, such as `auth_req_id`, to the device code by which the model
   * finds the request. If omitted, the value is the device code.
   */
  readonly deviceCodeOf?: (value: string) => string;
  /**
   * Returns members to add to `request.code` for the hooks of features, for a value of the parameter. If omitted, only
   * the stored members are there.
   */
  readonly furtherMembers?: (value: string) => object;
}

/** Returns a grant for clients that poll until their user has decided on another device. RFC 8628 §3.4, CIBA §10.1 */
export const polledGrant = (polled: PolledGrantOptions): GrantHandler =>
  Object.assign((request: TokenRequest) => redeemPolled(request, polled), {
    requires: [...DEVICE_METHODS, 'saveToken'],
  });

async function redeemPolled(
  request: TokenRequest,
  { parameter, kind, deviceCodeOf, furtherMembers }: PolledGrantOptions,
): Promise<Token> {
  const { client } = request;
  const value = required(request.request, parameter, isVSCHAR);
  const deviceCode = deviceCodeOf ? deviceCodeOf(value) : value;
  const stored = await findStored(deviceCode, kind, request);
  if (stored.revokedAt) return await rejectConsumed(stored, kind, request);
  if (isExpired(stored.expiresAt)) throw new ExpiredTokenError(`Expired token: the ${kind} has expired`);
  if (stored.isDenied) throw new AccessDeniedError('Access denied: the user denied the request');
  const { user, scope, grantId } = stored;
  if (!user) throw await pending(deviceCode, stored, request);

  const withDeviceCode = { ...stored, deviceCode };
  request.code = { ...withDeviceCode, ...furtherMembers?.(value) };
  const extra: Record<string, unknown> = {};
  copySignInClaims(extra, withDeviceCode);
  const scopeStatus = 'consented';
  const authorization: Authorization = { client, user, scope, scopeStatus, refreshable: true, grantId, extra };
  const model = modelOf(request);
  return await request.redeem(authorization, {
    consumeAndSave: model.redeemDeviceCode && ((token) => model.redeemDeviceCode!(withDeviceCode, token, client, user)),
    consume: () => model.revokeDeviceCode(withDeviceCode),
    handleReplay: () => Promise.reject(consumedError(kind)),
  });
}

const modelOf = ({ options }: TokenRequest) => options.model as Model & DeviceAuthorizationModel & OnceModel;

async function findStored(deviceCode: string, kind: string, request: TokenRequest): Promise<DeviceAuthorization> {
  const { client, issuer } = request;
  const stored = await modelOf(request).getDeviceAuthorization(deviceCode);
  if (!stored) throw new InvalidGrantError(`Invalid grant: ${kind} is invalid`).because(unknownDetail(kind));
  // A pending request has no user yet.
  const withUser = { ...stored, user: stored.user ?? NO_USER };
  verifyOwner(withUser, client, { finder: 'getDeviceAuthorization', name: kind, issuer });
  if (!(stored.expiresAt instanceof Date)) throw new ServerError('Server error: `expiresAt` must be a Date instance');
  return stored;
}

/**
 * Returns the error for a request that is not decided yet: `authorization_pending`, or `slow_down` if the client polls
 * too fast. Polls are counted by `once()` of the model, so that all processes count together. A poll after the decision
 * is never too early, because CIBA may have notified the client.
 */
async function pending(deviceCode: string, stored: DeviceAuthorization, request: TokenRequest): Promise<OAuthError> {
  const model = modelOf(request);
  const poll = hash('sha256', `poll ${deviceCode}`, 'base64url');
  if (await model.once(poll, Math.max(stored.interval - LEEWAY, 1))) return notDecided();
  if (stored.interval < MAX_INTERVAL) await model.slowDownDevice(stored, stored.interval + SLOW_DOWN_STEP);
  return tooFast();
}

/**
 * Rejects a code that was already redeemed. If the poll is repeated within one interval, the code is only rejected. A
 * later poll is treated as a replay and revokes the token family.
 * @throws {InvalidGrantError} Always.
 */
async function rejectConsumed(stored: DeviceAuthorization, kind: string, request: TokenRequest): Promise<never> {
  const ago = stored.revokedAgo ?? (Date.now() - stored.revokedAt!.getTime()) / 1000;
  if (ago < stored.interval) throw consumedError(kind);
  return await rejectReplay({ ...stored, user: stored.user ?? NO_USER }, kind, request);
}

const NO_USER: User = {};

const consumedError = (kind: string) => {
  const detail = { reason: `${kind} was already used`, given: 'used before' };
  return new InvalidGrantError(`Invalid grant: ${kind} is invalid`).because(detail);
};

const notDecided = () => new AuthorizationPendingError('Authorization pending: the user has not decided yet');
const tooFast = () => new SlowDownError(`Slow down: wait ${SLOW_DOWN_STEP} seconds longer between two requests`);
