import { addressOf, type Candidate, findCandidate, networkOf, withQueue } from '../../../lib/adapter/index.js';
import type { User } from '../../../lib/index.js';
import { admit, type Attempt } from './attempts.js';
import { KnownBrowser } from './known-browser.js';
import { continueSession } from './continue-session.js';
import { pathOf } from '../local-path.js';
import { type LoginProblem, showLogin } from './login-page.js';
import { PageEndpoint } from '../page-endpoint.js';
import { reportUser } from '../page-events.js';
import { SecondFactorLogin } from '../second-factor/login.js';
import { secondFactorPath } from '../second-factor/page.js';
import { findUserToSignOut, signOut } from '../sessions/sign-out.js';
import { returnPath, type Site, textOf, type PageRequest, requestedAcr } from '../site.js';
import { startSession } from './start-session.js';
import { unlessBusy, unlessUnavailable } from './unless-busy.js';

const MAX_PASSWORD_LENGTH = 1000;

/** Whether a text can be a password: bcrypt stops at NUL, and databases reject it. */
const isPassword = (text: string) => text.length <= MAX_PASSWORD_LENGTH && !text.includes('\0');

/** The `prompt` values that require a login even if a user is signed in. */
const PROMPTS_FOR_LOGIN = ['login', 'create'];

/** Returns the parameters of a query that occur once. */
const textsOf = (query: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/** The login page. If a user is already signed in and no new login is requested, it asks which account to use. */
export class LoginEndpoint extends PageEndpoint {
  private readonly secondFactor: SecondFactorLogin | undefined;

  constructor(site: Site) {
    super(site);
    this.secondFactor = SecondFactorLogin.of(site);
  }

  protected async get(pageRequest: PageRequest): Promise<void> {
    const { site } = this;
    const { request } = pageRequest;
    const user = await site.findUser(request);
    const prompt = textOf(request, 'prompt') ?? '';
    if (!user && !PROMPTS_FOR_LOGIN.includes(prompt)) {
      const here = pathOf(site.server, 'login', { request, query: textsOf(request.query) });
      const next = prompt === 'select_account' ? here : this.returnTo(pageRequest);
      const path = await continueSession(site, pageRequest, { here, next });
      if (path !== undefined) return this.goTo(path, pageRequest);
    }
    if (!user || PROMPTS_FOR_LOGIN.includes(prompt)) return showLogin(site, pageRequest);
    const isStepUp = (await this.secondFactor?.policy.isStepUpRequested(user, pageRequest)) === true;
    if (isStepUp && prompt !== 'select_account') {
      // Discard the pending login of another user in this browser.
      await this.secondFactor!.forget(pageRequest);
      return this.goTo(secondFactorPath(site, pageRequest), pageRequest);
    }
    const returnTo = this.returnTo(pageRequest);
    const fields = site.fields(pageRequest, {
      return_to: returnTo,
      acr_values: requestedAcr(request)?.join(' '),
      account: 'other',
    });
    const next = isStepUp ? secondFactorPath(site, pageRequest) : returnTo;
    site.show(
      'account',
      { user, returnTo: next, fields, action: pathOf(site.server, 'login', { request }) },
      pageRequest,
    );
  }

  protected async post(pageRequest: PageRequest): Promise<void> {
    const { secondFactor, site } = this;
    const { request, response } = pageRequest;
    if (!site.hasValidFormToken(pageRequest)) return showLogin(site, pageRequest, 'expired');
    if (textOf(request, 'account') === 'other') {
      const before = await findUserToSignOut(site, pageRequest);
      await secondFactor?.forget(pageRequest);
      await (before ? signOut(site, before, pageRequest) : site.sessions.end(request, response));
      reportUser(site.server, 'user.signed_out', { user: before, pageRequest });
      const acr = requestedAcr(request);
      return this.goTo(site.loginPath(request, returnPath(request), acr && { acr }), pageRequest);
    }
    const user = await this.findUser(pageRequest);
    if (typeof user === 'string') return showLogin(site, pageRequest, user);
    const remember = textOf(request, 'remember') === '1';
    if (await secondFactor?.policy.isRequired(user, pageRequest)) {
      const delay = await secondFactor!.begin(user, pageRequest, remember);
      return delay
        ? showLogin(site, pageRequest, delay)
        : this.goTo(secondFactorPath(site, pageRequest, { sent: '' }), pageRequest);
    }
    // Discard a pending login whose second factor was never entered.
    await secondFactor?.forget(pageRequest);
    await startSession(site, user, pageRequest, { rememberUntil: site.modelSessions?.rememberUntil(remember) });
    reportUser(site.server, 'user.signed_in', { user, pageRequest });
    this.goTo(this.returnTo(pageRequest), pageRequest);
  }

  private async findUser(pageRequest: PageRequest): Promise<User | LoginProblem> {
    const { request } = pageRequest;
    const [username = '', password = ''] = [textOf(request, 'username'), textOf(request, 'password')];
    if (!isPassword(password)) return 'wrong';
    return unlessBusy(async () => {
      const candidate = await findCandidate(this.site.server.options.model, username);
      if (!candidate) return 'wrong';
      const browser = new KnownBrowser(this.site, pageRequest);
      const attempt: Attempt = {
        username,
        ...(candidate.account !== undefined && { account: candidate.account }),
        address: addressOf(request),
        knownBrowser: browser.idFor(username),
        request: request['native'],
      };
      const user = await this.verifyPassword(candidate, { attempt, password, pageRequest });
      if (typeof user === 'object') browser.remember(username);
      return user;
    }, pageRequest);
  }

  /** Counts an attempt and verifies its password. An attempt that could not be verified does not count. */
  private async verifyPassword(
    candidate: Candidate,
    { attempt, password, pageRequest }: { attempt: Attempt; password: string; pageRequest: PageRequest },
  ): Promise<User | 'wrong' | 'throttled'> {
    const allowed = await admit(attempt, { server: this.site.server, response: pageRequest.response });
    if (!allowed) return 'throttled';
    const verify = () => withQueue(queueOf(attempt), () => candidate.verify(password));
    const user = await unlessUnavailable(verify, allowed);
    if (!user) return 'wrong';
    await allowed.giveBack();
    return user;
  }

  private returnTo({ request }: PageRequest): string {
    return returnPath(request) ?? this.site.options.home;
  }
}

/** Returns the name of the queue of password hashes: each network and each known browser has its own. */
const queueOf = ({ address, knownBrowser }: Attempt) =>
  knownBrowser === undefined ? `network ${networkOf(address ?? '')}` : `browser ${knownBrowser}`;
