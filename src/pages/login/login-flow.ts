import type { Login, LoginStep } from './steps.js';
import { loginStepsOf, nextStep, orderSteps } from './steps.js';
import { pathOf } from '../local-path.js';
import { reportUser } from '../page-events.js';
import { returnPath, requestedAcr, type PageRequest, type Site, textOf } from '../site.js';
import { PendingLogins } from './pending-logins.js';
import { startSession } from './start-session.js';

const FIVE_MINUTES = 300;

/** How a login goes on: at a path, or not at all because its next step could not begin. */
export interface Continued {
  /** `undefined` if there is no `return_to`, or if there is a problem. */
  readonly path?: string | undefined;
  /** `wrong`: the proof of the login is no longer valid. */
  readonly problem?: 'busy' | 'throttled' | 'wrong';
}

/** How a login continues. */
interface ContinueOptions {
  /** Whether the login is discarded if its next step could not begin. Default: `false`. */
  readonly mustBegin?: boolean | undefined;
  /**
   * Returns whether the proof of the login is still valid, once the session or pending login is saved. If omitted, it is
   * not verified.
   */
  readonly isCurrent?: (() => Promise<boolean>) | undefined;
}

/** The proof of a step, besides that the user has passed it. */
export interface StepProof {
  /** The `acr` of the login with the step. If omitted, that of the login before. */
  acr?: string | undefined;
  /** The authentication methods of the step, in addition to those of the login before. RFC 8176 §2 */
  amr?: readonly string[];
}

/** Runs the steps of logins on one server: stores pending logins, and starts the session after the last step. */
class LoginFlow {
  readonly pending: PendingLogins;
  private readonly steps: readonly LoginStep[];

  constructor(private readonly site: Site) {
    this.pending = new PendingLogins(site.server);
    this.steps = orderSteps(loginStepsOf(site.server));
  }

  /** Returns the step that a login must pass next. `undefined` if its session may start. */
  async next(login: Login, pageRequest: PageRequest): Promise<LoginStep | undefined> {
    return nextStep(this.steps, login, pageRequest);
  }

  /**
   * Continues a login at its next step, or starts the session if there is none.
   * @param endpoint the endpoint for the event `user.signed_in`
   * @returns the path of the page of the step, or the path to return to. `undefined` without a `return_to`.
   */
  async continue(
    login: Login,
    pageRequest: PageRequest,
    { endpoint, mustBegin, isCurrent }: ContinueOptions & { endpoint: string },
  ): Promise<Continued> {
    const step = await this.next(login, pageRequest);
    if (step) return this.begin(step, login, pageRequest, { mustBegin, isCurrent });
    const { site } = this;
    const { user, acr, amr, authTime, remember, upstream } = login;
    const isStarted = await startSession(site, user, pageRequest, {
      acr,
      amr: amr && amr.length > 0 ? amr : undefined,
      ...(authTime && { authTime }),
      ...(upstream && { upstream }),
      rememberUntil: site.modelSessions?.rememberUntil(remember),
      isCurrent,
    });
    await this.pending.end(pageRequest);
    if (!isStarted) return { problem: 'wrong' };
    reportUser(site.server, 'user.signed_in', { user, pageRequest, endpoint });
    return { path: returnPath(pageRequest.request) };
  }

  /** Stores the pending login, and returns the path of the page of its next step. */
  async begin(
    step: LoginStep,
    login: Login,
    pageRequest: PageRequest,
    { mustBegin = false, isCurrent }: ContinueOptions = {},
  ): Promise<Continued> {
    const { problem, query } = (await step.begin?.(login, pageRequest)) ?? {};
    if (problem && mustBegin) return { problem };
    const waiting = { ...login, pendingStep: step.id };
    const isStarted = await this.pending.start(waiting, pageRequest, step.lifetime ?? FIVE_MINUTES, isCurrent);
    return isStarted ? { path: this.pathOf(step, pageRequest, query) } : { problem: 'wrong' };
  }

  /** Returns the pending login of this browser and the step that it must pass next, if any. */
  async find(pageRequest: PageRequest): Promise<{ login: Login; step: LoginStep | undefined } | undefined> {
    const login = await this.pending.find(pageRequest);
    return login && { login, step: await this.pendingStepOf(login, pageRequest) };
  }

  /**
   * Returns the step that a pending login waits for. It stays required even if this request would not require it, for
   * example because it has no `acr_values`.
   */
  private async pendingStepOf(login: Login, pageRequest: PageRequest): Promise<LoginStep | undefined> {
    const step = this.steps.find(({ id }) => id === login.pendingStep);
    const isWaiting = step && (step.endsElsewhere !== true || (await step.isRequired(login, pageRequest)));
    return isWaiting ? step : this.next(login, pageRequest);
  }

  /**
   * Marks a step of the pending login as passed, and continues the login.
   * @param user the user whom the page of the step has verified
   * @returns `undefined` if the pending login has expired or was ended, or must pass another step
   */
  async pass(
    id: string,
    userId: unknown,
    pageRequest: PageRequest,
    { acr, amr = [] }: StepProof = {},
  ): Promise<Continued | undefined> {
    // The login may have been ended while the step was verified.
    const found = await this.find(pageRequest);
    if (found?.step?.id !== id || String(found.login.user['id']) !== String(userId)) return undefined;
    const { login, step } = found;
    const passed: Login = {
      ...login,
      acr: acr ?? login.acr,
      // A login by password has no `amr` if `signIn` of `pages()` sets none.
      amr: amr.length > 0 ? [...new Set([...(login.amr ?? ['pwd']), ...amr])] : login.amr,
      passedSteps: [...(login.passedSteps ?? []), id],
    };
    // A change of the password ends the pending login, but may not find the session that is saved at the same time.
    const isCurrent = async () => (await this.pending.find(pageRequest)) !== undefined;
    const continued = await this.continue(passed, pageRequest, { endpoint: step.endpoint, isCurrent });
    return continued.problem === 'wrong' ? undefined : continued;
  }

  /** Returns the path of the page of a step, with the page to return to and the `acr` that a client requests. */
  pathOf(
    { endpoint }: Pick<LoginStep, 'endpoint'>,
    { request }: PageRequest,
    more: Readonly<Record<string, string | undefined>> = {},
  ): string {
    const query = {
      return_to: returnPath(request),
      acr_values: requestedAcr(request)?.join(' '),
      ui_locales: textOf(request, 'ui_locales'),
      ...more,
    };
    return pathOf(this.site.server, endpoint, { request, query });
  }
}

const flows = new WeakMap<Site, LoginFlow>();

/** Returns the login steps of a server. */
export function loginFlowOf(site: Site): LoginFlow {
  const flow = flows.get(site) ?? new LoginFlow(site);
  flows.set(site, flow);
  return flow;
}
