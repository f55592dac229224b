import type { LoginPageContext } from './contexts.js';
import { pathOf, withQuery } from './local-path.js';
import { reportUserRefused } from './page-events.js';
import { returnPath, type Site, textOf, type PageRequest, requestedAcr } from './site.js';

/** What the field of the name holds at most. */
export const MAX_USERNAME_LENGTH = 255;

const STATUS = { wrong: 401, expired: 403, busy: 503, throttled: 429 } as const;

/** What the operator is told of it; that a server is busy is nobody's guess. */
const REASONS = {
  wrong: '`getUser()` finds the user, and the password is right',
  expired: 'the form was sent by a page of this server, in this browser',
  throttled: 'not so many attempts in so short a time',
} as const;

/** Why the login page is shown again. */
export type LoginProblem = keyof typeof STATUS;

/** Shows the login page, which knows where its visitor came from. */
export function showLogin(site: Site, visit: PageRequest, problem?: LoginProblem): void {
  const { request } = visit;
  const context: Pick<LoginPageContext, 'username' | 'problem' | 'signUp' | 'forgotPassword' | 'remember'> = {};
  const username = textOf(request, problem ? 'username' : 'login_hint')?.slice(0, MAX_USERNAME_LENGTH);
  if (username !== undefined) context.username = username;
  if (problem) context.problem = problem;
  const returnTo = returnPath(request);
  const { signUp, forgotPassword, rememberLifetime } = site.options;
  if (rememberLifetime !== undefined) {
    context.remember = textOf(request, 'remember') === '1' || site.modelSessions!.remembered!.hasCookie(visit);
  }
  const acr = requestedAcr(request);
  const back = { return_to: site.loginPath(request, returnTo, acr && { acr }) };
  if (signUp !== undefined) context.signUp = withQuery(signUp, back);
  if (forgotPassword !== undefined) {
    // Another server could not come back to a path of this one.
    context.forgotPassword = forgotPassword.startsWith('/') ? withQuery(forgotPassword, back) : forgotPassword;
  }
  const fields = site.fields(visit, {
    return_to: returnTo,
    acr_values: acr?.join(' '),
    ui_locales: textOf(request, 'ui_locales'),
  });
  const status = problem ? STATUS[problem] : 200;
  if (problem && problem !== 'busy') reportUserRefused(site.server, { reason: REASONS[problem], status, visit });
  site.show('login', { ...context, fields, action: pathOf(site.server, 'login', { request }) }, visit, status);
}
