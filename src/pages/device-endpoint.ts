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
import type { DevicePageContext } from './contexts.js';
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
   * Shows a page. A code from the URL is only filled in, so that the user compares it with the device. RFC 8628 §3.3.1
   */
  protected async get(visit: PageRequest): Promise<void> {
    const done = DONE.find((one) => one === visit.request.query['done']);
    if (done === undefined) return this.askCode(visit);
    this.site.show('deviceDone', { allowed: done === 'allowed' }, visit);
  }

  protected async post(visit: PageRequest): Promise<void> {
    const { site } = this;
    const { request } = visit;
    const decision = textOf(request, 'decision');
    // The token of a decision form is bound to its device request, and is verified once that is found.
    if (decision === undefined ? !site.hasValidFormToken(visit) : !site.isFromOwnOrigin(visit))
      return this.askCode(visit, 'deviceExpired');
    const typed = textOf(request, 'user_code') ?? '';
    const user = await site.findUser(request);
    if (!user) return this.goTo(site.loginPath(request, this.path(visit, { user_code: formatUserCode(typed) })), visit);
    const found = await this.find(typed, user, visit);
    if (!found) return this.askCode(visit, 'wrongCode');
    if (found === 'throttled') return this.askCode(visit, found);
    if (decision === undefined || !site.hasValidFormToken(visit, subjectOf(user, found)))
      return this.askUser(user, found, visit);
    const allow = decision === 'allow';
    const signIn = (await site.sessions.howSignedIn?.(user, request)) || undefined;
    if (!(await decideDeviceRequest(found, { allow, signIn }))) return this.askCode(visit, 'wrongCode');
    this.goTo(this.path(visit, { done: allow ? 'allowed' : 'denied' }), visit);
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

  private askCode(visit: PageRequest, problem?: Problem): void {
    const code = formatUserCode(textOf(visit.request, 'user_code'));
    const facts = {
      ...(code !== undefined && { userCode: code }),
      ...(problem && { problem }),
      fields: this.site.fields(visit),
      action: this.path(visit),
    };
    this.site.show('device', facts, visit, problem ? STATUS[problem] : 200);
  }

  private async askUser(user: User, found: DeviceRequest, visit: PageRequest): Promise<void> {
    const { client, scope = '', resource, data, userCode } = found;
    const scopes = scope.split(' ').filter(Boolean);
    const fields = this.site.fields(visit, { user_code: userCode }, subjectOf(user, found));
    const accounts = this.site.loginPath(visit.request, this.path(visit, { user_code: userCode }));
    const facts = {
      user,
      client,
      clientHost: client.clientIdHost,
      ...(await this.site.logoOf(client)),
      scopes,
      resources: resource,
      claims: requestedClaims(data),
      details: this.site.detailsFor(data, preferencesOf(visit.request)),
      userCode,
      fields,
      accounts,
      action: this.path(visit),
    };
    this.site.show('deviceConsent', facts, visit);
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
