import type { PageAnswer } from '../toolkit/answers.js';
import type { PageCall } from '../toolkit/page-call.js';
import { SecondFactorLogin } from './login.js';

/**
 * Requires that the session has used the second factor of the account, if it has one. The pages may ask for it at some
 * logins only, but a stolen password must not be sufficient to change how the account is protected.
 * @param returnTo the path to return to. Default: the page.
 * @returns the answer if the session has not. `undefined` if it has.
 */
export async function requireSecondFactor(call: PageCall, returnTo = call.path()): Promise<PageAnswer | undefined> {
  const { site, request } = call;
  const secondFactor = SecondFactorLogin.of(site);
  const session = await site.modelSessions?.findSession(request);
  if (!secondFactor || !session || secondFactor.policy.hadTwoFactors(session)) return undefined;
  if (!(await secondFactor.policy.isAvailable(session.user))) return undefined;
  return call.redirect(call.pathOf('second_factor', { return_to: returnTo }));
}
