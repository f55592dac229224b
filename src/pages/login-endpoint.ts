import { type Awaitable, type Falsy, TemporarilyUnavailableError, type User } from '../../lib/index.js';
import { findLogout } from '../../lib/openid/logout/logout-feature.js';
import type { Attempt } from './attempts.js';
import type { LoginPageContext } from './contexts.js';
import { localPath, pathOf, withQuery } from './local-path.js';
import { PageEndpoint } from './page-endpoint.js';
import { reportUser, reportUserRefused } from './page-events.js';
import { signOut } from './sign-out.js';
import { textOf, type Visit } from './site.js';

/** What the fields of the form hold at most. */
const LONGEST_NAME = 255;
const LONGEST_PASSWORD = 1000;

/** What the login that is there already does not do for. */
const FRESH = ['login', 'create'];

const STATUS = { wrong: 401, expired: 403, busy: 503, throttled: 429 } as const;

/** What the operator is told of it; that a server is busy is nobody's guess. */
const RULES = {
  wrong: '`getUser()` finds the user, and the password is right',
  expired: 'the form was sent by a page of this server, in this browser',
  throttled: 'not so many attempts in so short a time',
} as const;

/** Of the model's `getUser()`, what is asked here: no client is told the password. */
interface UserModel {
  getUser(username: string, password: string): Awaitable<User | Falsy>;
}

/** Asks who the user is, and which account is meant where somebody is signed in already. */
export class LoginEndpoint extends PageEndpoint {
  protected async get(visit: Visit): Promise<void> {
    const user = await this.site.findUser(visit.request);
    if (!user || FRESH.includes(textOf(visit.request, 'prompt') ?? '')) return this.ask(visit);
    const returnTo = this.returnTo(visit);
    const fields = this.site.fields(visit, { return_to: returnTo, account: 'other' });
    this.site.show('account', { user, returnTo, fields, action: this.action(visit) }, visit);
  }

  protected async post(visit: Visit): Promise<void> {
    const { site } = this;
    const { request, response } = visit;
    if (!site.isOurs(visit)) return this.ask(visit, 'expired');
    if (textOf(request, 'account') === 'other') {
      const before = await site.findUser(request);
      await (before ? signOut(site, before, visit) : site.sessions.end(request, response));
      reportUser(site.server, 'user.signed_out', { user: before, visit });
      return this.goTo(site.loginPath(request, localPath(textOf(request, 'return_to'))), visit);
    }
    const user = await this.findUser(visit);
    if (typeof user === 'string') return this.ask(visit, user);
    await this.start(user, visit);
    reportUser(site.server, 'user.signed_in', { user, visit });
    this.goTo(this.returnTo(visit), visit);
  }

  /** Whoever was signed in here before, and is somebody else, is signed out at clients too. */
  private async start(user: User, visit: Visit): Promise<void> {
    const { site } = this;
    const start = async () => site.sessions.start(user, visit.request, visit.response);
    const before = findLogout(site.server) && (await site.findUser(visit.request));
    if (before && String(before['id']) !== String(user['id'])) await signOut(site, before, visit, start);
    else await start();
  }

  private async findUser(visit: Visit): Promise<User | keyof typeof STATUS> {
    const { request, response } = visit;
    const [username = '', password = ''] = [textOf(request, 'username'), textOf(request, 'password')];
    if (username === '' || username.length > LONGEST_NAME || password.length > LONGEST_PASSWORD) return 'wrong';
    const { throttle } = this.site.options;
    const native: unknown = request['native'];
    const attempt: Attempt = { username, address: (native as { ip?: string } | undefined)?.ip, request: native };
    const wait = await throttle.count(attempt);
    if (wait > 0) {
      response.set('retry-after', String(Math.ceil(wait)));
      return 'throttled';
    }
    const user = await this.askModel(username, password, visit);
    if (typeof user === 'object') await throttle.forgive?.(attempt);
    return user;
  }

  private async askModel(username: string, password: string, { response }: Visit): Promise<User | 'wrong' | 'busy'> {
    const model = this.site.server.options.model as unknown as UserModel;
    try {
      return (await model.getUser(username, password)) || 'wrong';
    } catch (error) {
      if (!(error instanceof TemporarilyUnavailableError)) throw error;
      response.set('retry-after', String(Math.ceil(error.retryAfter ?? 5)));
      return 'busy';
    }
  }

  private ask(visit: Visit, problem?: keyof typeof STATUS): void {
    const { request } = visit;
    const context: Pick<LoginPageContext, 'username' | 'problem' | 'signUp'> = {};
    const username = textOf(request, problem ? 'username' : 'login_hint')?.slice(0, LONGEST_NAME);
    if (username !== undefined) context.username = username;
    if (problem) context.problem = problem;
    const returnTo = localPath(textOf(request, 'return_to'));
    const { signUp } = this.site.options;
    if (signUp !== undefined) context.signUp = withQuery(signUp, { return_to: this.site.loginPath(request, returnTo) });
    const fields = this.site.fields(visit, { return_to: returnTo, ui_locales: textOf(request, 'ui_locales') });
    const status = problem ? STATUS[problem] : 200;
    if (problem && problem !== 'busy') reportUserRefused(this.site.server, { rule: RULES[problem], status, visit });
    this.site.show('login', { ...context, fields, action: this.action(visit) }, visit, status);
  }

  private returnTo({ request }: Visit): string {
    return localPath(textOf(request, 'return_to')) ?? this.site.options.home;
  }

  private action({ request }: Visit): string {
    return pathOf(this.site.server, 'login', { request });
  }
}
