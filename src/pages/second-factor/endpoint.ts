import { showLogin } from '../login/login-page.js';
import { PageEndpoint } from '../page-endpoint.js';
import { reportUser } from '../page-events.js';
import { type CodeProblem, secondFactorPath, showSecondFactor, formBinding } from './page.js';
import { type PendingUser, SecondFactorLogin } from './login.js';
import { returnPath, type Site, textOf, type PageRequest } from '../site.js';

/** Maximum length of a code, without spaces. */
const MAX_CODE_LENGTH = 100;

/**
 * The page for the code of a second factor. It is shown only after the first factor, or to a signed-in user whose
 * session can be strengthened, and reveals nothing to other browsers.
 */
export class SecondFactorEndpoint extends PageEndpoint {
  private readonly login: SecondFactorLogin;

  constructor(site: Site) {
    super(site);
    this.login = SecondFactorLogin.of(site)!;
  }

  protected async get(pageRequest: PageRequest): Promise<void> {
    const pending = await this.login.find(pageRequest);
    if (!pending) return this.redirectBack(pageRequest);
    this.ask(pending, pageRequest);
  }

  protected async post(pageRequest: PageRequest): Promise<void> {
    const { site, login } = this;
    const { request } = pageRequest;
    const pending = await login.find(pageRequest);
    // If the form was already sent, the user is signed in.
    if (!pending)
      return (await site.findUser(request)) ? this.redirectBack(pageRequest) : showLogin(site, pageRequest, 'expired');
    if (!site.hasValidFormToken(pageRequest, formBinding(pending.user)))
      return this.ask(pending, pageRequest, 'codeExpired');
    if (textOf(request, 'send') !== undefined && login.canSend) {
      const delay = await login.send(pending.user, pageRequest);
      return delay
        ? this.ask(pending, pageRequest, delay)
        : this.goTo(secondFactorPath(site, pageRequest, { sent: '' }), pageRequest);
    }
    const code =
      textOf(request, 'code')
        ?.slice(0, 2 * MAX_CODE_LENGTH)
        .replaceAll(/\s/g, '') ?? '';
    if (code === '' || code.length > MAX_CODE_LENGTH) return this.ask(pending, pageRequest, 'codeWrong');
    const problem = await login.verify(pending.user, code, pageRequest);
    if (problem) return this.ask(pending, pageRequest, problem);
    if (!(await login.complete(pending, pageRequest))) return showLogin(site, pageRequest, 'expired');
    reportUser(site.server, 'user.signed_in', { user: pending.user, pageRequest, endpoint: 'second_factor' });
    this.redirectBack(pageRequest);
  }

  private ask({ user }: PendingUser, pageRequest: PageRequest, problem?: CodeProblem): void {
    const { canSend } = this.login;
    const { recoveryCodes } = this.site.options.secondFactor!;
    showSecondFactor(this.site, user, pageRequest, { canSend, recoveryCodes, ...(problem && { problem }) });
  }

  /** Redirects to the page that the user came from. That page asks again if the login is still insufficient. */
  private redirectBack(pageRequest: PageRequest): void {
    this.goTo(returnPath(pageRequest.request) ?? this.site.options.home, pageRequest);
  }
}
