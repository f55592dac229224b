import { addressOf } from '../../lib/adapter/index.js';
import type { Awaitable, Falsy, User } from '../../lib/index.js';
import { type Attempt, isThrottled } from './attempts.js';
import { KnownBrowser } from './known-browser.js';
import { continueSession } from './continue-session.js';
import { pathOf } from './local-path.js';
import { MAX_USERNAME_LENGTH, type LoginProblem, showLogin } from './login-page.js';
import { PageEndpoint } from './page-endpoint.js';
import { reportUser } from './page-events.js';
import { SecondFactorLogin } from './second-factor/login.js';
import { secondFactorPath } from './second-factor/page.js';
import { findUserToSignOut, signOut } from './sign-out.js';
import { returnPath, type Site, textOf, type PageRequest, requestedAcr } from './site.js';
import { startSession } from './start-session.js';
import { unlessBusy } from './unless-busy.js';

const MAX_PASSWORD_LENGTH = 1000;

/**
 * Whether a text can be a user name. It must not contain line breaks, because attempts of a second factor are counted
 * under a text with one. It must not contain other control characters, and PostgreSQL rejects NUL. RFC 6749 Appendix A
 */
const isName = (text: string) =>
  text !== '' && text.length <= MAX_USERNAME_LENGTH && !/[\x00-\x08\x0a-\x1f\x7f]/.test(text) && text.isWellFormed();

/** Whether a text can be a password: bcrypt stops at NUL, and databases reject it. */
const isPassword = (text: string) => text.length <= MAX_PASSWORD_LENGTH && !text.includes('\0');

/** The `prompt` values that require a login even if a user is signed in. */
const PROMPTS_FOR_LOGIN = ['login', 'create'];

/** Returns the parameters of a query that occur once. */
const textsOf = (query: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/** The model method that verifies a password. */
interface UserModel {
  getUser(username: string, password: string): Awaitable<User | Falsy>;
}

/** The login page. If a user is already signed in, it asks which account to use. */
export class LoginEndpoint extends PageEndpoint {
  private readonly secondFactor: SecondFactorLogin | undefined;

  constructor(site: Site) {
    super(site);
    this.secondFactor = SecondFactorLogin.of(site);
  }

  protected async get(visit: PageRequest): Promise<void> {
    const { site } = this;
    const { request } = visit;
    const user = await site.findUser(request);
    const prompt = textOf(request, 'prompt') ?? '';
    if (!user && !PROMPTS_FOR_LOGIN.includes(prompt)) {
      const here = pathOf(site.server, 'login', { request, query: textsOf(request.query) });
      const next = prompt === 'select_account' ? here : this.returnTo(visit);
      const path = await continueSession(site, visit, { here, next });
      if (path !== undefined) return this.goTo(path, visit);
    }
    if (!user || PROMPTS_FOR_LOGIN.includes(prompt)) return showLogin(site, visit);
    const isStepUp = (await this.secondFactor?.policy.isStepUpRequested(user, visit)) === true;
    if (isStepUp && prompt !== 'select_account') {
      // Discard the pending login of another user in this browser.
      await this.secondFactor!.forget(visit);
      return this.goTo(secondFactorPath(site, visit), visit);
    }
    const returnTo = this.returnTo(visit);
    const fields = site.fields(visit, {
      return_to: returnTo,
      acr_values: requestedAcr(request)?.join(' '),
      account: 'other',
    });
    const next = isStepUp ? secondFactorPath(site, visit) : returnTo;
    site.show('account', { user, returnTo: next, fields, action: pathOf(site.server, 'login', { request }) }, visit);
  }

  protected async post(visit: PageRequest): Promise<void> {
    const { secondFactor, site } = this;
    const { request, response } = visit;
    if (!site.hasValidFormToken(visit)) return showLogin(site, visit, 'expired');
    if (textOf(request, 'account') === 'other') {
      const before = await findUserToSignOut(site, visit);
      await secondFactor?.forget(visit);
      await (before ? signOut(site, before, visit) : site.sessions.end(request, response));
      reportUser(site.server, 'user.signed_out', { user: before, visit });
      const acr = requestedAcr(request);
      return this.goTo(site.loginPath(request, returnPath(request), acr && { acr }), visit);
    }
    const user = await this.findUser(visit);
    if (typeof user === 'string') return showLogin(site, visit, user);
    const remember = textOf(request, 'remember') === '1';
    if (await secondFactor?.policy.isRequired(user, visit)) {
      const delay = await secondFactor!.begin(user, visit, remember);
      return delay ? showLogin(site, visit, delay) : this.goTo(secondFactorPath(site, visit, { sent: '' }), visit);
    }
    // Discard a pending login whose second factor was never entered.
    await secondFactor?.forget(visit);
    await startSession(site, user, visit, { rememberUntil: site.modelSessions?.rememberUntil(remember) });
    reportUser(site.server, 'user.signed_in', { user, visit });
    this.goTo(this.returnTo(visit), visit);
  }

  private async findUser(visit: PageRequest): Promise<User | LoginProblem> {
    const { request } = visit;
    const [username = '', password = ''] = [textOf(request, 'username'), textOf(request, 'password')];
    if (!isName(username) || !isPassword(password)) return 'wrong';
    const throttle = this.site.options.throttle(this.site.server);
    const browser = new KnownBrowser(this.site, visit);
    const knownBrowser = browser.idFor(username);
    const attempt: Attempt = { username, address: addressOf(request), knownBrowser, request: request['native'] };
    if (await isThrottled(throttle, attempt, visit.response)) return 'throttled';
    const model = this.site.server.options.model as unknown as UserModel;
    const user = await unlessBusy(async () => (await model.getUser(username, password)) || 'wrong', visit);
    if (typeof user !== 'object') return user;
    await throttle.forgive?.(attempt);
    browser.remember(username);
    return user;
  }

  private returnTo({ request }: PageRequest): string {
    return returnPath(request) ?? this.site.options.home;
  }
}
