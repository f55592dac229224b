import { type Awaitable, type Falsy, TemporarilyUnavailableError, type User } from '../../lib/index.js';
import type { Attempt } from './attempts.js';
import type { LoginPageContext } from './contexts.js';
import { localPath, pathOf } from './local-path.js';
import { PageEndpoint } from './page-endpoint.js';
import { reportUser, reportUserRefused } from './page-events.js';
import { textOf, type Visit } from './site.js';

/** What the fields of the form hold at most. */
const LONGEST_NAME = 255;
const LONGEST_PASSWORD = 1000;

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
    if (!user) return this.ask(visit);
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
      await site.sessions.end(request, response);
      reportUser(site.server, 'user.signed_out', { user: before, visit });
      return this.goTo(site.loginPath(request, localPath(textOf(request, 'return_to'))), visit);
    }
    const user = await this.findUser(visit);
    if (typeof user === 'string') return this.ask(visit, user);
    await site.sessions.start(user, request, response);
    reportUser(site.server, 'user.signed_in', { user, visit });
    this.goTo(this.returnTo(visit), visit);
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
    const context: Pick<LoginPageContext, 'username' | 'problem'> = {};
    const username = textOf(visit.request, 'username')?.slice(0, LONGEST_NAME);
    if (username !== undefined && problem) context.username = username;
    if (problem) context.problem = problem;
    const fields = this.site.fields(visit, { return_to: localPath(textOf(visit.request, 'return_to')) });
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
