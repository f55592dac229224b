import { hash } from 'node:crypto';

import type { Authorization } from '../../contracts/authorization.js';
import {
  AccessDeniedError,
  AuthorizationPendingError,
  ExpiredTokenError,
  InvalidGrantError,
  type OAuthError,
} from '../../errors/index.js';
import { ServerError, SlowDownError } from '../../errors/index.js';
import { GrantType } from '../../endpoints/token/grant-type.js';
import { refuseReplay, unknown, verifyOwner } from '../../endpoints/token/replay.js';
import { required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isVSCHAR } from '../../http/syntax.js';
import type { Client, OnceModel, Token, User } from '../../model/model.js';
import { redeem } from '../../tokens/issue-token.js';
import { addSignedIn } from '../../tokens/signed-in.js';
import { isOver } from '../../tokens/lifetime.js';
import { DEVICE_METHODS, type DeviceAuthorization, type DeviceAuthorizationModel } from './device-model.js';

/** How much slower a client has to become that polls too fast, and how slow at most, in seconds. RFC 8628 §3.5 */
const SLOWER = 5;
const SLOWEST = 60;
/** What may be lost on the way, in seconds: an interval is counted where a poll arrives. */
const LEEWAY = 1;

/** A client asks again and again whether the user has agreed, who decides elsewhere. RFC 8628 §3.4, CIBA §10.1 */
export abstract class PolledGrantType extends GrantType<DeviceAuthorizationModel & OnceModel> {
  static readonly requires: readonly string[] = DEVICE_METHODS;

  /** What the client polls with. */
  protected abstract readonly parameter: string;
  /** The same in words. */
  protected abstract readonly what: string;

  /** The name by which the model knows it. */
  protected abstract codeOf(given: string): string;
  /** More that features are to know of it. */
  protected kept?(given: string): object;

  async handle(request: Request, client: Client): Promise<Token> {
    const given = required(request, this.parameter, isVSCHAR);
    const deviceCode = this.codeOf(given);
    const found = await this.find(deviceCode, client);
    if (found.revokedAt) return await this.refuseSpent(found);
    if (isOver(found.expiresAt)) throw new ExpiredTokenError(`Expired token: the ${this.what} has expired`);
    if (found.isDenied) throw new AccessDeniedError('Access denied: the user said no');
    const { user, scope, grantId } = found;
    if (!user) throw await this.pending(deviceCode, found);

    if (this.options.exchange) this.options.exchange.code = { ...found, deviceCode, ...this.kept?.(given) };
    const extra: Record<string, unknown> = {};
    addSignedIn(extra, found);
    const scopeStatus = 'consented';
    const authorization: Authorization = { client, user, scope, scopeStatus, refreshable: true, grantId, extra };
    const { model } = this;
    return await redeem(this.options, authorization, {
      together:
        model.redeemDeviceCode && ((token) => model.redeemDeviceCode!({ ...found, deviceCode }, token, client, user)),
      spend: () => model.revokeDeviceCode({ ...found, deviceCode }),
      lost: () => Promise.reject(spent(this.what)),
    });
  }

  private async find(deviceCode: string, client: Client): Promise<DeviceAuthorization> {
    const found = await this.model.getDeviceAuthorization(deviceCode);
    if (!found) throw new InvalidGrantError(`Invalid grant: ${this.what} is invalid`).because(unknown(this.what));
    // As long as nobody has decided, it has no user.
    const whole = { ...found, user: found.user ?? NOBODY };
    verifyOwner(whole, client, { finder: 'getDeviceAuthorization', what: this.what, issuer: this.options.issuer });
    if (!(found.expiresAt instanceof Date)) throw new ServerError('Server error: `expiresAt` must be a Date instance');
    return found;
  }

  /**
   * One poll in each interval, counted where the model remembers, for all processes: what comes too early makes it longer. Who asks
   * when it is decided is answered, however early: a client may have been told.
   */
  private async pending(deviceCode: string, found: DeviceAuthorization): Promise<OAuthError> {
    const { model } = this;
    const poll = hash('sha256', `poll ${deviceCode}`, 'base64url');
    if (await model.once(poll, Math.max(found.interval - LEEWAY, 1))) return notDecided();
    if (found.interval < SLOWEST) await model.slowDownDevice(found, found.interval + SLOWER);
    return tooFast();
  }

  /** Two polls at once are a device in a hurry, and one of them has got the tokens, which live on. Whoever comes later is another. */
  private async refuseSpent(found: DeviceAuthorization): Promise<never> {
    const ago = found.revokedAgo ?? (Date.now() - found.revokedAt!.getTime()) / 1000;
    if (ago < found.interval) throw spent(this.what);
    return await refuseReplay({ ...found, user: found.user ?? NOBODY }, this.what, this.options);
  }
}

const NOBODY: User = {};

const spent = (what: string) => {
  const detail = { rule: `the ${what} is good once`, given: 'spent' };
  return new InvalidGrantError(`Invalid grant: ${what} is invalid`).because(detail);
};

const notDecided = () => new AuthorizationPendingError('Authorization pending: the user has not decided yet');
const tooFast = () => new SlowDownError(`Slow down: wait ${SLOWER} seconds longer between two requests`);
