import {
  addressOf,
  authorizationDetailsOf,
  authorizationDetailsText,
  decideDeviceRequest,
  findDeviceRequest,
  formatUserCode,
  requestedClaims,
} from '../../lib/adapter/index.js';
import type { DeviceRequest } from '../../lib/features/index.js';
import { TemporarilyUnavailableError, type User } from '../../lib/index.js';
import type { DevicePageContext } from './render/contexts.js';
import { pathOf } from './local-path.js';
import { PageEndpoint } from './page-endpoint.js';
import { preferencesOf, textOf, type PageRequest } from './site.js';

type Problem = NonNullable<DevicePageContext['problem']>;

const STATUS: Readonly<Record<Problem, number>> = { wrongCode: 400, deviceExpired: 403, throttled: 429 };

/** The decisions about a device, as in the URL of the final page. */
const DONE = ['allowed', 'denied'] as const;

/**
 * The page that connects a device: the user enters or confirms its code, signs in, sees which client requests access to
 * what, and decides. RFC 8628 §3.3
 */
export class DeviceEndpoint extends PageEndpoint {
  /**
   * Shows the page to enter a code, or the page after the decision. A code from the URL is only filled in, so that the
   * user compares it with the device. RFC 8628 §3.3.1
   */
  protected async get(pageRequest: PageRequest): Promise<void> {
    const done = DONE.find((one) => one === pageRequest.request.query['done']);
    if (done === undefined) return this.askCode(pageRequest);
    this.site.show('deviceDone', { allowed: done === 'allowed' }, pageRequest);
  }

  protected async post(pageRequest: PageRequest): Promise<void> {
    const { site } = this;
    const { request } = pageRequest;
    const decision = textOf(request, 'decision');
    // The token of a decision form is bound to its device request, and is verified once that is found.
    if (decision === undefined ? !site.hasValidFormToken(pageRequest) : !site.isFromOwnOrigin(pageRequest))
      return this.askCode(pageRequest, 'deviceExpired');
    const typed = textOf(request, 'user_code') ?? '';
    const user = await site.findUser(request);
    if (!user)
      return this.goTo(
        site.loginPath(request, this.path(pageRequest, { user_code: formatUserCode(typed) })),
        pageRequest,
      );
    const deviceRequest = await this.find(typed, user, pageRequest);
    if (!deviceRequest) return this.askCode(pageRequest, 'wrongCode');
    if (deviceRequest === 'throttled') return this.askCode(pageRequest, deviceRequest);
    if (decision === undefined || !site.hasValidFormToken(pageRequest, subjectOf(user, deviceRequest)))
      return this.askUser(user, deviceRequest, pageRequest);
    const allow = decision === 'allow';
    const signIn = (await site.sessions.howSignedIn?.(user, request)) || undefined;
    if (!(await decideDeviceRequest(deviceRequest, { allow, signIn }))) return this.askCode(pageRequest, 'wrongCode');
    this.goTo(this.path(pageRequest, { done: allow ? 'allowed' : 'denied' }), pageRequest);
  }

  private async find(
    typed: string,
    user: User,
    { request, response }: PageRequest,
  ): Promise<DeviceRequest | 'throttled' | undefined> {
    const address = addressOf(request);
    try {
      return await findDeviceRequest({ context: this.site.server }, typed, { user, address, request });
    } catch (error) {
      if (!(error instanceof TemporarilyUnavailableError) || error.status !== 429) throw error;
      response.set('retry-after', String(error.retryAfter));
      return 'throttled';
    }
  }

  private askCode(pageRequest: PageRequest, problem?: Problem): void {
    const code = formatUserCode(textOf(pageRequest.request, 'user_code'));
    const data = {
      ...(code !== undefined && { userCode: code }),
      ...(problem && { problem }),
      fields: this.site.fields(pageRequest),
      action: this.path(pageRequest),
    };
    this.site.show('device', data, pageRequest, problem ? STATUS[problem] : 200);
  }

  private async askUser(user: User, deviceRequest: DeviceRequest, pageRequest: PageRequest): Promise<void> {
    const { client, scope = '', resource, data, userCode } = deviceRequest;
    const scopes = scope.split(' ').filter(Boolean);
    const fields = this.site.fields(pageRequest, { user_code: userCode }, subjectOf(user, deviceRequest));
    const accounts = this.site.loginPath(pageRequest.request, this.path(pageRequest, { user_code: userCode }));
    const pageData = {
      user,
      client,
      clientHost: client.clientIdHost,
      ...(await this.site.logoOf(client)),
      scopes,
      resources: resource,
      claims: requestedClaims(data),
      details: this.site.detailsFor(data, preferencesOf(pageRequest.request)),
      userCode,
      fields,
      accounts,
      action: this.path(pageRequest),
    };
    this.site.show('deviceConsent', pageData, pageRequest);
  }

  private path({ request }: PageRequest, query?: Record<string, string | undefined>): string {
    return pathOf(this.site.server, 'device', { request, ...(query && { query }) });
  }
}

/**
 * Returns the text that binds a decision form to the user, the device request, and the access that the user was shown.
 */
const subjectOf = (user: User, { id, scope, resource, data }: DeviceRequest): string =>
  JSON.stringify([
    String(user['id']),
    id,
    scope ?? null,
    resource,
    authorizationDetailsText(authorizationDetailsOf(data['authorization_details'])),
    requestedClaims(data),
  ]);
