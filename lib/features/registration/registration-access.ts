import { hash } from 'node:crypto';

import { AccessDeniedError, TemporarilyUnavailableError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Request } from '../../http/request.js';
import { Response } from '../../http/response.js';
import { addressOf, networkOf } from '../../http/network.js';
import { RateLimit } from '../../limits/rate-limit.js';
import { resolveOptions } from '../../options/resolve-options.js';
import { AuthenticateOperation } from '../../endpoints/resource/authenticate.js';
import type { RegistrationModel, RegistrationRequest } from './registration-model.js';
import type { registrationSettings } from './registration-options.js';

const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/** Returns the bearer token of the `Authorization` header. `undefined` if there is none. RFC 6750 §2.1 */
export function bearerTokenOf(request: Request): string | undefined {
  const header: unknown = request.get('authorization');
  return typeof header === 'string' ? BEARER.exec(header)?.[1] : undefined;
}

/** Decides which requests may register clients, and limits their rate. RFC 7591 §3 */
export class RegistrationAccess {
  private readonly model: RegistrationModel;
  private readonly issuer: string | undefined;
  private readonly limit: RateLimit | undefined;
  private readonly authenticator: AuthenticateOperation | undefined;

  constructor(server: ServerContext, { rate, initialAccessScope: scope }: ReturnType<typeof registrationSettings>) {
    const { model, issuer } = server.options;
    this.issuer = issuer;
    this.model = model as typeof model & RegistrationModel;
    if (rate) this.limit = new RateLimit('registrations', rate);
    if (scope !== undefined)
      this.authenticator = new AuthenticateOperation(resolveOptions(server.options, { scope } as object), server);
  }

  /**
   * Verifies the initial access token, if one is required, and the rate limit, before the request body is read.
   * @throws {OAuthError} If either check fails. The challenge is in the response headers.
   */
  async admit(request: Request, response: Response): Promise<void> {
    if (this.authenticator) {
      const bearerResponse = new Response();
      try {
        // Without events: the endpoint reports the refusal.
        await this.authenticator.verify(request, bearerResponse);
      } catch (error) {
        const challenge = bearerResponse.get('www-authenticate');
        if (challenge !== undefined) response.headers['www-authenticate'] = challenge;
        throw error;
      }
    }
    const registrant = this.authenticator
      ? hash('sha256', bearerTokenOf(request) ?? '')
      : networkOf(addressOf(request) ?? '');
    const wait = await this.limit?.add(JSON.stringify([this.issuer, registrant]), this.model);
    if (wait) throw tooMany(wait);
  }

  /**
   * Verifies by `mayRegister()` of the model that this metadata may be registered. Without that method, it may.
   * @throws {AccessDeniedError} If the model refuses it.
   */
  async approve(registration: RegistrationRequest, request: Request): Promise<void> {
    if (!this.model.mayRegister) return;
    const address = addressOf(request);
    const initialAccessToken = registration.client ? undefined : bearerTokenOf(request);
    const details = {
      ...registration,
      ...(this.issuer !== undefined && { issuer: this.issuer }),
      ...(address !== undefined && { address }),
      ...(initialAccessToken !== undefined && { initialAccessToken }),
    };
    if (await this.model.mayRegister(details)) return;
    throw new AccessDeniedError('Access denied: this client is not allowed to register', { code: 403 });
  }
}

const tooMany = (retryAfter: number) =>
  new TemporarilyUnavailableError('Too many clients were registered. Try again later', { code: 429, retryAfter });
