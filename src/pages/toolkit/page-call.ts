import { addressOf } from '../../../lib/internal.js';
import {
  InvalidArgumentError,
  type Request,
  type RequestedLogin,
  type Response,
  type User,
  networkOf,
} from '../../../lib/index.js';
import { type FinishedLogin, finishLogin } from '../login/finish-login.js';
import { type Continued, type StepProof, loginFlowOf } from '../login/login-flow.js';
import type { Login } from '../login/steps.js';
import { type Attempt, countedAttempt } from '../login/attempts.js';
import { pathOf } from '../local-path.js';
import type { Fields } from '../render/contexts.js';
import type { PageData, PageName } from '../render/page-renderer.js';
import { returnPath, type Site, textOf } from '../site.js';
import { type PageAnswer, PageDownload, PageProblem, PageRedirect, readyMade, type ReadyMadePage } from './answers.js';

/** One request of a browser for a page, as the functions of `definePage()` receive it. */
export class PageCall<Key extends string = string> {
  /** Why the page is shown again: the name of the problem. `undefined` if it is not. */
  problemName: string | undefined;
  /** The binding of the CSRF tokens of the forms. @internal */
  binding: string | undefined;
  private signedIn: User | undefined;

  /** @internal */
  constructor(
    /** @internal */
    readonly site: Site,
    /** The ID of the endpoint of the page. */
    readonly endpoint: string,
    readonly request: Request,
    readonly response: Response,
  ) {}

  /** The server that the page belongs to. */
  get server(): Site['server'] {
    return this.site.server;
  }

  /**
   * The signed-in user of a page with `signedIn`.
   * @throws {InvalidArgumentError} If the page does not require a signed-in user.
   */
  get user(): User {
    if (this.signedIn) return this.signedIn;
    throw new InvalidArgumentError('Invalid argument: `user` of a page requires `signedIn`: use `findUser()`');
  }

  /**
   * Returns the user who is signed in in this browser.
   * @param maxAge maximum number of seconds since the login. If omitted, a login of any age is sufficient.
   */
  async findUser(maxAge?: number): Promise<User | undefined> {
    const { request, site } = this;
    const user = (await site.findUser(request)) || undefined;
    if (!user || maxAge === undefined) return user;
    const { authTime } = (await site.sessions.howSignedIn?.(user, request)) || {};
    return authTime && Date.now() - authTime.getTime() <= maxAge * 1000 ? user : undefined;
  }

  /** Returns a parameter of the form or, if it is missing there, of the URL. `undefined` if missing or repeated. */
  text(name: string): string | undefined {
    return textOf(this.request, name);
  }

  /** The path on this server in the parameter `return_to`. `undefined` if it is missing or leads elsewhere. */
  get returnTo(): string | undefined {
    return returnPath(this.request);
  }

  /** Returns the path of this page with a query. Members that are `undefined` are left out. */
  path(query: Readonly<Record<string, string | undefined>> = {}): string {
    return pathOf(this.server, this.endpoint, { request: this.request, query });
  }

  /** Returns the path of another page or endpoint of the server, by its ID. */
  pathOf(endpoint: string, query: Readonly<Record<string, string | undefined>> = {}): string {
    return pathOf(this.server, endpoint, { request: this.request, query });
  }

  /**
   * Returns the hidden fields of a form of this page: its CSRF token, `return_to`, and further fields.
   * @param binding what the form decides. If omitted, the `binding` of the page.
   */
  fields(more: Readonly<Record<string, string | undefined>> = {}, binding = this.binding): Fields {
    return this.site.fields(this, { return_to: this.returnTo, ...more }, binding);
  }

  /** Returns the answer that sends the browser to a path of this server. If omitted, to this page. */
  redirect(location: string = this.path()): PageRedirect {
    return new PageRedirect(location);
  }

  /** Returns the answer that sends the browser back to `return_to` or, without it, to the `home` of `pages()`. */
  back(): PageRedirect {
    return new PageRedirect(this.returnTo ?? this.site.options.home);
  }

  /**
   * Returns the answer that sends the browser to the login page, and then to a path of this server.
   * @param returnTo Default: this page.
   * @param requested what the login requires, such as `{ reauthenticate: true }`
   */
  login(returnTo: string = this.path({ return_to: this.returnTo }), requested: RequestedLogin = {}): PageRedirect {
    return new PageRedirect(this.site.loginPath(this.request, returnTo, requested));
  }

  /**
   * Continues the login of a user whom this page has identified: runs the steps that the login must pass, starts the
   * session, and returns to `return_to`.
   * @returns the answer that sends the browser to the next step or back
   */
  async finishLogin(login: FinishedLogin): Promise<PageRedirect> {
    return finishLogin(this, login);
  }

  /**
   * Returns the pending login of this browser that must pass a step next. Use it as the `subject` of the page of the
   * step. If the login must pass another step, or no step any more, the answer leads there.
   * @returns `undefined` if no login is pending
   */
  async findStep(step: string): Promise<Login | PageAnswer | undefined> {
    const { site } = this;
    const found = await loginFlowOf(site).find(this);
    if (!found) return undefined;
    if (found.step?.id === step) return found.login;
    // The step may have been completed elsewhere, such as by a link in an e-mail.
    return found.step ? this.redirect(loginFlowOf(site).pathOf(found.step, this)) : this.goOn(found.login);
  }

  /**
   * Marks a step of the pending login as passed, and continues the login.
   * @param login the result of `findStep()`
   * @param proof the `acr` and `amr` that the step adds to the login
   * @returns the answer that sends the browser to the next step or back. The login page, if the login has expired.
   */
  async passStep(step: string, { user }: Login, proof?: StepProof): Promise<PageAnswer> {
    const continued = await loginFlowOf(this.site).pass(step, user['id'], this, proof);
    return continued ? this.follow(continued) : this.login(this.returnTo ?? this.site.options.home);
  }

  private async goOn(login: Login): Promise<PageAnswer> {
    return this.follow(await loginFlowOf(this.site).continue(login, this, { endpoint: this.endpoint }));
  }

  private follow({ path }: Continued): PageRedirect {
    return path === undefined ? this.back() : this.redirect(path);
  }

  /** Returns the answer that shows the page again with a message, and the status of the page's `problems`. */
  problem<Name extends Key>(name: Name): PageProblem<Name> {
    return new PageProblem(name);
  }

  /** Returns the answer that the browser saves as a file with JSON. */
  download(name: string, value: object): PageDownload {
    return new PageDownload(name, 'application/json', `${JSON.stringify(value, null, 2)}\n`);
  }

  /** Returns the answer that shows a ready-made page, such as `error`. */
  show<Name extends PageName>(name: Name, data: PageData<Name>, status = 200): ReadyMadePage {
    return readyMade(name, data, { status });
  }

  /**
   * Counts an attempt to sign in or to prove something else by the limits of the login page, and verifies it. An
   * attempt that succeeds, or cannot be verified at the moment, does not count.
   * @param attempt who is to be verified: the account that was found and, for a password, the name that was typed
   * @param verify returns a falsy value if the proof is wrong
   * @returns the result of `verify`, or the problem `throttled` or `busy`, for which `Retry-After` is set
   */
  async attempt<T>(
    attempt: Omit<Attempt, 'request' | 'address'>,
    verify: () => Promise<T>,
  ): Promise<T | PageProblem<'throttled' | 'busy'>> {
    const whole = { ...attempt, request: this.request['native'] };
    const from = attempt.secondFactor ? {} : { address: addressOf(this.request) };
    const outcome = await countedAttempt({ ...whole, ...from }, this, verify);
    const isDelay = outcome === 'busy' || outcome === 'throttled';
    return isDelay ? new PageProblem(outcome as 'busy' | 'throttled') : outcome;
  }

  /** The network of the browser, for limits. `undefined` if its address is unknown. */
  get network(): string | undefined {
    const address = addressOf(this.request);
    return address === undefined ? undefined : networkOf(address);
  }

  /** Whether the page requires a signed-in user. */
  get hasUser(): boolean {
    return this.signedIn !== undefined;
  }

  /** Sets the user of a page with `signedIn`. @internal */
  setUser(user: User): void {
    this.signedIn = user;
  }
}
