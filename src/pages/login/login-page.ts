import { MAX_USER_NAME_LENGTH } from '../../../lib/internal.js';
import { pathOf, withQuery } from '../local-path.js';
import { reportUserRefused } from '../page-events.js';
import type { PageData } from '../render/page-renderer.js';
import { preferencesOf, returnPath, textOf, requestedAcr } from '../site.js';
import { readyMade, type ReadyMadePage } from '../toolkit/answers.js';
import type { PageCall } from '../toolkit/page-call.js';
import { HOME_REALM } from './home-realm.js';
import { LOGIN_METHODS, type LoginPageRequest, PASSWORDS } from './methods.js';

/**
 * The problems of the login page, with their status, and the reason in the event of a rejected login. A busy server is
 * not reported as a rejected login.
 */
export const LOGIN_PROBLEMS = {
  wrong: {
    status: 401,
    reason: 'user name or password is incorrect',
    remedy:
      'if both are right, verify what the methods of `users` return: `findByEmail()` receives addresses in lower case',
  },
  expired: {
    status: 403,
    reason:
      'CSRF token of the login form is missing, invalid, or from another browser or site, or the pending login has expired',
  },
  busy: { status: 503 },
  throttled: { status: 429, reason: 'too many login attempts' },
  noProvider: { status: 400, reason: 'the domain of the user name has no provider' },
} as const;

/** Shows the login page to a user whose pending login has expired. */
export async function showLogin(call: PageCall, problem: 'expired'): Promise<ReadyMadePage> {
  const { status, reason } = LOGIN_PROBLEMS[problem];
  reportUserRefused(call.server, { reason, status, pageRequest: call });
  return readyMade('login', { ...(await loginData(call)), problem }, { status });
}

/** Returns the data of the login page. Its form and links keep the page to return to. */
export async function loginData(call: PageCall): Promise<PageData<'login'>> {
  const { request, site } = call;
  const typed = textOf(request, 'username');
  const username = (typed ?? textOf(request, 'login_hint'))?.slice(0, MAX_USER_NAME_LENGTH);
  const hasHomeRealm = site.server.find(HOME_REALM)?.isEnabled === true;
  const isNameFirst = hasHomeRealm && (username === undefined || !site.options.password);
  const returnTo = returnPath(request);
  const { rememberLifetime } = site.options;
  const { signUp, forgotPassword } = site.accountLinks(request);
  const acr = requestedAcr(request);
  const loginPath = site.loginPath(request, returnTo, acr && { acr });
  const back = { return_to: loginPath };
  const preferences = preferencesOf(request, loginPath);
  const usernameLabel = site.server.find(PASSWORDS)?.label?.(preferences);
  const { methods, scripts } = await shownMethods(call, { loginPath, preferences });
  return {
    ...(!site.options.password && { password: false as const }),
    ...(username !== undefined && { username }),
    ...(usernameLabel && { usernameLabel }),
    ...(isNameFirst && { nameFirst: true as const }),
    ...(rememberLifetime !== undefined && {
      remember: textOf(request, 'remember') === '1' || site.modelSessions!.remembered!.hasCookie(call),
    }),
    ...(signUp !== undefined && { signUp: withQuery(signUp, back) }),
    ...(forgotPassword !== undefined && {
      // Another server could not return to a path of this server.
      forgotPassword: forgotPassword.startsWith('/') ? withQuery(forgotPassword, back) : forgotPassword,
    }),
    ...(methods.length > 0 && { methods }),
    ...(scripts.length > 0 && { scripts }),
    action: pathOf(site.server, 'login', { request }),
    fields: site.fields(call, {
      return_to: returnTo,
      acr_values: acr?.join(' '),
      ui_locales: textOf(request, 'ui_locales'),
      ...(hasHomeRealm && { prompt: textOf(request, 'prompt') }),
    }),
  };
}

/** Returns what the methods of login besides the password show, and the scripts that they load. */
async function shownMethods(call: PageCall, where: Pick<LoginPageRequest, 'loginPath' | 'preferences'>) {
  const { request, response, site } = call;
  const all = site.server.all(LOGIN_METHODS).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const shown = await Promise.all(all.map(async (method) => method.show({ request, response, ...where })));
  const methods = shown.filter((one) => one !== undefined);
  return { methods, scripts: methods.flatMap(({ script = [] }) => script) };
}
