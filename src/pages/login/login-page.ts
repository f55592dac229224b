import { MAX_USER_NAME_LENGTH } from '../../../lib/adapter/index.js';
import type { LoginPageContext } from '../render/contexts.js';
import { pathOf, withQuery } from '../local-path.js';
import { reportUserRefused } from '../page-events.js';
import { returnPath, type Site, textOf, type PageRequest, requestedAcr } from '../site.js';

const STATUS = { wrong: 401, expired: 403, busy: 503, throttled: 429 } as const;

/** The reasons in the event of a rejected login. A busy server is not reported as a rejected login. */
const REASONS = {
  wrong: 'user name or password is incorrect',
  expired:
    'CSRF token of the login form is missing, invalid, or from another browser or site, or the pending login has expired',
  throttled: 'too many login attempts',
} as const;

/** Why the login page is shown again. */
export type LoginProblem = keyof typeof STATUS;

/** Shows the login page. Its form and links keep the page to return to. */
export function showLogin(site: Site, pageRequest: PageRequest, problem?: LoginProblem): void {
  const { request } = pageRequest;
  const context: Pick<LoginPageContext, 'username' | 'problem' | 'signUp' | 'forgotPassword' | 'remember'> = {};
  const username = textOf(request, problem ? 'username' : 'login_hint')?.slice(0, MAX_USER_NAME_LENGTH);
  if (username !== undefined) context.username = username;
  if (problem) context.problem = problem;
  const returnTo = returnPath(request);
  const { signUp, forgotPassword, rememberLifetime } = site.options;
  if (rememberLifetime !== undefined) {
    context.remember = textOf(request, 'remember') === '1' || site.modelSessions!.remembered!.hasCookie(pageRequest);
  }
  const acr = requestedAcr(request);
  const back = { return_to: site.loginPath(request, returnTo, acr && { acr }) };
  if (signUp !== undefined) context.signUp = withQuery(signUp, back);
  if (forgotPassword !== undefined) {
    // Another server could not return to a path of this server.
    context.forgotPassword = forgotPassword.startsWith('/') ? withQuery(forgotPassword, back) : forgotPassword;
  }
  const fields = site.fields(pageRequest, {
    return_to: returnTo,
    acr_values: acr?.join(' '),
    ui_locales: textOf(request, 'ui_locales'),
  });
  const status = problem ? STATUS[problem] : 200;
  if (problem && problem !== 'busy') reportUserRefused(site.server, { reason: REASONS[problem], status, pageRequest });
  site.show('login', { ...context, fields, action: pathOf(site.server, 'login', { request }) }, pageRequest, status);
}
