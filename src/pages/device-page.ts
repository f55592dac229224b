import {
  addressOf,
  detailsOf,
  detailsText,
  decideDeviceRequest,
  findDeviceRequest,
  formatUserCode,
  namedClaims,
} from '../../lib/internal.js';
import type { DeviceRequest } from '../../lib/features/index.js';
import { TemporarilyUnavailableError, type User } from '../../lib/index.js';
import { preferencesOf } from './site.js';
import type { ReadyMadePage } from './toolkit/answers.js';
import { definePage } from './toolkit/define-page.js';
import type { PageCall } from './toolkit/page-call.js';

/** The decisions about a device, as in the URL of the final page. */
const DONE = ['allowed', 'denied'] as const;

/**
 * The page that connects a device: the user enters or confirms its code, signs in, sees which client requests access to
 * what, and decides. RFC 8628 §3.3
 */
export const devicePage = definePage({
  path: 'oauth/device',
  render: 'device',
  // The token of a decision form is bound to its device request, and is verified once that is found.
  expired: false,
  problems: { deviceExpired: { status: 403 } },
  /**
   * Shows the page to enter a code, or the page after the decision. A code from the URL is only filled in, so that the
   * user compares it with the device. RFC 8628 §3.3.1
   */
  get(call) {
    const done = DONE.find((one) => one === call.request.query['done']);
    if (done !== undefined) return call.show('deviceDone', { allowed: done === 'allowed' });
    const userCode = formatUserCode(call.text('user_code'));
    return userCode === undefined ? {} : { userCode };
  },
  async post(call) {
    const { request, site } = call;
    const decision = call.text('decision');
    if (decision === undefined ? !site.hasValidCsrfToken(call) : !site.isFromOwnOrigin(call))
      return call.problem('deviceExpired');
    const typed = call.text('user_code') ?? '';
    const user = await call.findUser();
    if (!user) return call.login(call.path({ user_code: formatUserCode(typed) }));
    const deviceRequest = await find(typed, user, call);
    if (!deviceRequest) return call.problem('wrongCode');
    if (deviceRequest === 'throttled') return call.problem(deviceRequest);
    if (decision === undefined || !site.hasValidCsrfToken(call, subjectOf(user, deviceRequest)))
      return askUser(user, deviceRequest, call);
    const allow = decision === 'allow';
    const signIn = (await site.sessions.howSignedIn?.(user, request)) || undefined;
    const isSignedIn = async () => (await call.findUser()) !== undefined;
    if (!(await decideDeviceRequest(deviceRequest, { allow, signIn, isSignedIn }))) return call.problem('wrongCode');
    return call.redirect(call.path({ done: allow ? 'allowed' : 'denied' }));
  },
});

async function find(
  typed: string,
  user: User,
  { request, response, server }: PageCall,
): Promise<DeviceRequest | 'throttled' | undefined> {
  const address = addressOf(request);
  try {
    return await findDeviceRequest({ context: server }, typed, { user, address, request });
  } catch (error) {
    if (!(error instanceof TemporarilyUnavailableError) || error.status !== 429) throw error;
    response.set('retry-after', String(error.retryAfter));
    return 'throttled';
  }
}

/** Shows the page on which the user decides about a device. */
async function askUser(user: User, deviceRequest: DeviceRequest, call: PageCall): Promise<ReadyMadePage> {
  const { client, scope = '', resource, data, userCode } = deviceRequest;
  const { site } = call;
  return call.show('deviceConsent', {
    user,
    client,
    clientHost: client.clientIdHost,
    ...(await site.logoOf(client)),
    scopes: scope.split(' ').filter(Boolean),
    resources: resource,
    claims: namedClaims(data),
    details: site.detailsFor(data, preferencesOf(call.request)),
    userCode,
    fields: call.fields({ user_code: userCode }, subjectOf(user, deviceRequest)),
    accounts: site.loginPath(call.request, call.path({ user_code: userCode })),
    action: call.path(),
  });
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
    detailsText(detailsOf(data['authorization_details'])),
    namedClaims(data),
  ]);
