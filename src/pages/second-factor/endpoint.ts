import { showLogin } from '../login-page.js';
import { PageEndpoint } from '../page-endpoint.js';
import { reportUser } from '../page-events.js';
import { type CodeProblem, secondFactorPath, showSecondFactor, formBinding } from './page.js';
import { type PendingUser, SecondFactorLogin } from './login.js';
import { returnPath, type Site, textOf, type PageRequest } from '../site.js';

/** Maximum length of a code, without spaces. */
const MAX_CODE_LENGTH = 100;

/**
 * The page for the code of a second factor. It is shown only after a correct password, and reveals nothing to other
 * browsers.
 */
export class SecondFactorEndpoint extends PageEndpoint {
  private readonly step: SecondFactorLogin;

  constructor(site: Site) {
    super(site);
    this.step = SecondFactorLogin.of(site)!;
  }

  protected async get(visit: PageRequest): Promise<void> {
    const first = await this.step.find(visit);
    if (!first) return this.goOn(visit);
    this.ask(first, visit);
  }

  protected async post(visit: PageRequest): Promise<void> {
    const { site, step } = this;
    const { request } = visit;
    const first = await step.find(visit);
    // If the form was already sent, the user is signed in.
    if (!first) return (await site.findUser(request)) ? this.goOn(visit) : showLogin(site, visit, 'expired');
    if (!site.hasValidFormToken(visit, formBinding(first.user))) return this.ask(first, visit, 'codeExpired');
    if (textOf(request, 'send') !== undefined && step.canSend) {
      const delay = await step.send(first.user, visit);
      return delay ? this.ask(first, visit, delay) : this.goTo(secondFactorPath(site, visit, { sent: '' }), visit);
    }
    const code =
      textOf(request, 'code')
        ?.slice(0, 2 * MAX_CODE_LENGTH)
        .replaceAll(/\s/g, '') ?? '';
    if (code === '' || code.length > MAX_CODE_LENGTH) return this.ask(first, visit, 'codeWrong');
    const problem = await step.verify(first.user, code, visit);
    if (problem) return this.ask(first, visit, problem);
    if (!(await step.complete(first, visit))) return showLogin(site, visit, 'expired');
    reportUser(site.server, 'user.signed_in', { user: first.user, visit, endpoint: 'second_factor' });
    this.goOn(visit);
  }

  private ask({ user }: PendingUser, visit: PageRequest, problem?: CodeProblem): void {
    const { canSend } = this.step;
    const { recoveryCodes } = this.site.options.secondFactor!;
    showSecondFactor(this.site, user, visit, { canSend, recoveryCodes, ...(problem && { problem }) });
  }

  /** Redirects to the page that the user came from. That page asks again if the login is still insufficient. */
  private goOn(visit: PageRequest): void {
    this.goTo(returnPath(visit.request) ?? this.site.options.home, visit);
  }
}
