import { grantNotAllowed } from '../../clients/grant-not-allowed.js';
import { hash } from 'node:crypto';

import { mayBeUnauthenticated } from '../../clients/none.js';
import { PublicClientRate } from '../../clients/public-client-rate.js';
import { BackChannelEndpoint } from '../../endpoints/back-channel-endpoint.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { ServerError, TemporarilyUnavailableError, UnauthorizedClientError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { CoreClient, Falsy, Model, OnceModel } from '../../model/model.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { requestedScope, verifyClientScope } from '../../tokens/scope.js';
import type { RequestRate } from '../../limits/memory-counts.js';
import { deviceAuthorizationRequest } from './device-authorization-request.js';
import { DEVICE_GRANT } from './device-grant.js';
import type { DeviceAuthorizationModel, NewDeviceAuthorization } from './device-model.js';
import { newUserCode, displayedUserCode } from './user-code.js';

/** The settings of the device authorization endpoint, with lifetimes in seconds. */
export interface DeviceSettings {
  lifetime: number;
  interval: number;
  verificationUri: string | undefined;
  /** How many codes public and self-registered clients may request from one network. `false`: any number. */
  rate: RequestRate | false;
}

/** The codes that the device authorization endpoint issued, and the page where the user enters the user code. */
export interface IssuedDeviceCodes extends NewDeviceAuthorization {
  verificationUri: string;
}

/** Maximum number of attempts to generate a user code that is not in use. */
const MAX_ATTEMPTS = 8;

/**
 * The device authorization endpoint. It issues a device code, with which the device polls, and a user code, which it
 * shows. RFC 8628 §3.1, §3.2
 */
export class DeviceAuthorizationEndpoint extends BackChannelEndpoint<IssuedDeviceCodes> {
  protected readonly id = 'device_authorization';
  /** Public clients follow the policy of the token endpoint, where the device polls. RFC 8628 §3.1 */
  protected override readonly clientAuthentication = (client: CoreClient | Falsy): boolean =>
    mayBeUnauthenticated(client, DEVICE_GRANT, this.options);
  private readonly rate: PublicClientRate;
  private readonly model = this.options.model as Model & DeviceAuthorizationModel & OnceModel;

  constructor(
    server: ServerContext,
    private readonly settings: DeviceSettings,
  ) {
    super(server.options, server);
    this.rate = new PublicClientRate(settings.rate);
  }

  protected async serve(request: ClientRequest): Promise<IssuedDeviceCodes> {
    this.rate.verify(request);
    const { client, issuer, parameters } = request;
    if (!client.grants.includes(DEVICE_GRANT)) {
      const detail = grantNotAllowed(client, DEVICE_GRANT);
      throw new UnauthorizedClientError(
        'Unauthorized client: this client is not allowed to use the device grant',
      ).because(detail);
    }
    const { lifetime, interval } = this.settings;
    const requested = requestedScope(request.request);
    const scoped = { client, ...(requested !== undefined && { scope: requested }) };
    const scope = await verifyClientScope(this.options, scoped, this.server.ignorableScopes);
    const authorizationRequest = deviceAuthorizationRequest(client, {
      requestedScope: scope,
      issuer,
      request: request.request,
    });
    for (const read of this.server.hooks.authorization.read) {
      Object.assign(authorizationRequest.data, await read(parameters, authorizationRequest));
    }
    const begun: NewDeviceAuthorization = {
      ...authorizationRequest.data,
      deviceCode: opaqueToken(),
      userCode: await this.unusedUserCode(),
      expiresAt: new Date(Date.now() + lifetime * 1000),
      interval,
    };
    if (scope !== undefined) begun.scope = scope;
    if (issuer !== undefined) begun.issuer = issuer;
    await this.model.saveDeviceAuthorization(begun, client);
    return { ...begun, verificationUri: this.verificationUri(issuer) };
  }

  /**
   * Returns the response body. It always contains `interval`, since some clients poll without a pause if it is missing.
   * RFC 8628 §3.2
   */
  protected bodyOf({ deviceCode, userCode, verificationUri }: IssuedDeviceCodes): object {
    const { lifetime, interval } = this.settings;
    const shown = displayedUserCode(userCode);
    const complete = new URL(verificationUri);
    complete.searchParams.set('user_code', shown);
    return {
      device_code: deviceCode,
      user_code: shown,
      verification_uri: verificationUri,
      verification_uri_complete: complete.href,
      expires_in: lifetime,
      interval,
    };
  }

  private verificationUri(issuer: string | undefined): string {
    const uri = this.settings.verificationUri ?? this.server.urlOf('device', issuer);
    if (uri !== undefined) return uri;
    throw new ServerError(
      'Server error: set `verificationUri` of `deviceAuthorization()` to the page where users enter their codes',
    );
  }

  /**
   * Returns a user code that no other device has at the same time.
   * @throws {TemporarilyUnavailableError} If no free code was found after several attempts.
   */
  private async unusedUserCode(): Promise<string> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const code = newUserCode();
      const mark = hash('sha256', `user code ${code}`, 'base64url');
      if (await this.model.once(mark, this.settings.lifetime + CODE_REUSE_DELAY)) return code;
    }
    throw new TemporarilyUnavailableError('Temporarily unavailable: too many devices are waiting for their users');
  }
}

/** Seconds after its expiry in which a user code is not issued again, to tolerate clock skew. */
const CODE_REUSE_DELAY = 600;
