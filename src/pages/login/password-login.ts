import { addressOf, findCandidate, withQueue } from '../../../lib/internal.js';
import { type User, networkOf } from '../../../lib/index.js';
import { pathOf } from '../local-path.js';
import { reportUser } from '../page-events.js';
import { SecondFactorLogin } from '../second-factor/login.js';
import { findUserToSignOut, signOut } from '../sessions/sign-out.js';
import { returnPath, textOf, requestedAcr } from '../site.js';
import { type PageAnswer, PageProblem } from '../toolkit/answers.js';
import { definePage } from '../toolkit/define-page.js';
import type { PageCall } from '../toolkit/page-call.js';
import { type Attempt, countedAttempt, unlessBusy } from './attempts.js';
import { continueSession } from './continue-session.js';
import { KnownBrowser } from './known-browser.js';
import { HOME_REALM } from './home-realm.js';
import { LOGIN_PROBLEMS, loginData } from './login-page.js';
import { PASSWORDS } from './methods.js';
import { loginFlowOf } from './login-flow.js';

const MAX_PASSWORD_LENGTH = 1000;

/** Whether a text can be a password: bcrypt stops at NUL, and databases reject it. */
const isPassword = (text: string) => text.length <= MAX_PASSWORD_LENGTH && !text.includes('\0');

/** The `prompt` values that require a login even if a user is signed in. */
const PROMPTS_FOR_LOGIN = ['login', 'create'];

/** Returns the parameters of a query that occur once. */
const textsOf = (query: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/** The login page. If a user is already signed in and no new login is requested, it asks which account to use. */
export const loginPage = definePage({
  path: 'oauth/login',
  render: 'login',
  expired: 'expired',
  problems: LOGIN_PROBLEMS,
  get: async (call) =>
    (call.problemName === undefined ? ((await showOther(call)) ?? (await showHomeRealm(call))) : undefined) ??
    loginData(call),
  async post(call) {
    if (call.text('account') === 'other') return changeAccount(call);
    const home = await findHomeRealm(call, call.text('username'));
    if (typeof home === 'string') return call.problem(home);
    if (home) return home;
    // The user name comes first, and the password on the next page.
    if (call.server.find(HOME_REALM)?.isEnabled) {
      if (!call.site.options.password) return call.problem('noProvider');
      if (call.text('password') === undefined) return loginData(call);
    }
    const found = await findUser(call);
    if (found instanceof PageProblem) return found;
    const { user, isCurrent } = found;
    const { signIn } = call.site.options;
    const login = { user, acr: signIn?.acr, amr: signIn?.amr, remember: call.text('remember') === '1' };
    const continued = await loginFlowOf(call.site).continue(login, call, {
      endpoint: 'login',
      mustBegin: true,
      isCurrent,
    });
    if (continued.problem) return call.problem(continued.problem);
    return continued.path === undefined ? call.back() : call.redirect(continued.path);
  },
});

/** Returns what is shown instead of the form: a continued session, the choice of an account or a step-up. */
async function showOther(call: PageCall): Promise<PageAnswer | undefined> {
  const { request, site } = call;
  const user = await call.findUser();
  const prompt = call.text('prompt') ?? '';
  const returnTo = call.returnTo ?? site.options.home;
  if (!user && !PROMPTS_FOR_LOGIN.includes(prompt)) {
    const here = pathOf(site.server, 'login', { request, query: textsOf(request.query) });
    const path = await continueSession(site, call, { here, next: prompt === 'select_account' ? here : returnTo });
    return path === undefined ? undefined : call.redirect(path);
  }
  if (!user || PROMPTS_FOR_LOGIN.includes(prompt)) return undefined;
  const stepUp = await findStepUp(user, call);
  if (stepUp !== undefined && prompt !== 'select_account') {
    // Discard the pending login of another user in this browser.
    await loginFlowOf(site).pending.end(call);
    return call.redirect(stepUp);
  }
  const fields = site.fields(call, {
    return_to: returnTo,
    acr_values: requestedAcr(request)?.join(' '),
    account: 'other',
  });
  const action = pathOf(site.server, 'login', { request });
  return call.show('account', { user, returnTo: stepUp ?? returnTo, fields, action });
}

/** Returns the answer that sends the browser to the provider of a user name, or a problem. `undefined` without one. */
const findHomeRealm = async (call: PageCall, name: string | undefined) =>
  name === undefined ? undefined : call.server.find(HOME_REALM)?.find(call, name.trim());

/** Sends the browser to the provider of the user whom the client suggests. */
async function showHomeRealm(call: PageCall): Promise<PageAnswer | undefined> {
  // The user asked to choose another account.
  if (call.text('prompt') === 'select_account') return undefined;
  const home = await findHomeRealm(call, call.text('login_hint'));
  if (typeof home !== 'string') return home;
  call.problemName = home;
  return undefined;
}

/** Returns the path of the page on which a signed-in user strengthens the session, if the request requires that. */
async function findStepUp(user: User, call: PageCall): Promise<string | undefined> {
  const isRequested = await SecondFactorLogin.of(call.site)?.policy.isStepUpRequested(user, call);
  return isRequested ? loginFlowOf(call.site).pathOf({ endpoint: 'second_factor' }, call) : undefined;
}

/** Signs the user out, and shows the login page again for another account. */
async function changeAccount(call: PageCall): Promise<PageAnswer> {
  const { request, response, site } = call;
  const before = await findUserToSignOut(site, call);
  await loginFlowOf(site).pending.end(call);
  await (before ? signOut(site, before, call) : site.sessions.end(request, response));
  reportUser(site.server, 'user.signed_out', { user: before, pageRequest: call });
  const acr = requestedAcr(request);
  return call.redirect(site.loginPath(request, returnPath(request), acr && { acr }));
}

/** The user of the form. */
interface FoundUser {
  readonly user: User;
  /** Whether the verified password is still that of the user. */
  readonly isCurrent?: () => Promise<boolean>;
}

/** Finds the user of the form, and verifies the password. */
async function findUser(call: PageCall): Promise<FoundUser | PageProblem> {
  const { request, response, site } = call;
  const [username = '', password = ''] = [textOf(request, 'username'), textOf(request, 'password')];
  if (!site.options.password || !isPassword(password)) return call.problem('wrong');
  const outcome = await unlessBusy(response, async () => {
    const verifier = site.server.find(PASSWORDS);
    const candidate = await (verifier ? verifier.find(username) : findCandidate(site.server.options.model, username));
    if (!candidate) return undefined;
    const browser = new KnownBrowser(site, call);
    const attempt: Attempt = {
      username,
      ...(candidate.account !== undefined && { account: candidate.account }),
      address: addressOf(request),
      knownBrowser: browser.idFor(username),
      request: request['native'],
    };
    const verify = () => withQueue(queueOf(attempt), () => candidate.verify(password));
    const user = await countedAttempt(attempt, call, verify);
    if (typeof user !== 'object') return user;
    browser.remember(username);
    return { user, ...(candidate.isCurrent && { isCurrent: async () => candidate.isCurrent!() }) };
  });
  if (typeof outcome === 'string') return call.problem(outcome);
  return outcome ?? call.problem('wrong');
}

/** Returns the name of the queue of password hashes: each network and each known browser has its own. */
const queueOf = ({ address, knownBrowser }: Attempt) =>
  knownBrowser === undefined ? `network ${networkOf(address ?? '')}` : `browser ${knownBrowser}`;
