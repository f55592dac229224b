import type { Session, User } from '../../../lib/index.js';
import { admit, giveBackSentCode } from '../login/attempts.js';
import { PendingLogins } from './pending-logins.js';
import { type ResolvedSecondFactor, SECOND_FACTOR, type SecondFactor } from './options.js';
import { formBinding } from './page.js';
import { type FirstFactor, SecondFactorPolicy } from './policy.js';
import type { Site, PageRequest } from '../site.js';
import { startSession } from '../login/start-session.js';
import { unlessBusy, unlessUnavailable } from '../login/unless-busy.js';

/** Why a code could not be verified or sent. */
type Delay = 'busy' | 'throttled';

/** The user who must enter a code, after the first factor or to strengthen an existing session. */
export interface PendingUser {
  user: User;
  /** The session to strengthen. If omitted, the user is not signed in yet. */
  session?: Session;
  /** The first factor of a user who is not signed in yet. */
  firstFactor?: FirstFactor;
}

/** The steps of a login after the first factor: sends codes, verifies them, and starts the session. */
export class SecondFactorLogin {
  readonly policy: SecondFactorPolicy;
  private readonly pending: PendingLogins;

  constructor(
    private readonly site: Site,
    private readonly options: ResolvedSecondFactor,
  ) {
    this.policy = new SecondFactorPolicy(site, options);
    this.pending = new PendingLogins(site.server, options.lifetime);
  }

  static of(site: Site): SecondFactorLogin | undefined {
    const { secondFactor } = site.options;
    return secondFactor && new SecondFactorLogin(site, secondFactor);
  }

  get canSend(): boolean {
    return typeof this.factor.send === 'function';
  }

  /**
   * Starts a pending login after a correct password, and sends a code if the second factor can send codes.
   * @returns why the code could not be sent; then no login is pending. `undefined` if the login is pending.
   */
  async begin(user: User, pageRequest: PageRequest, remember: boolean): Promise<Delay | undefined> {
    const delay = this.canSend ? await this.send(user, pageRequest) : undefined;
    if (delay === undefined) await this.pending.start(user, pageRequest, { ...this.policy.passwordFactor, remember });
    return delay;
  }

  /**
   * Starts a pending login, even if no code could be sent: the page of the second factor can send one.
   * @returns whether a code was sent
   */
  async beginEvenIfNotSent(user: User, pageRequest: PageRequest, firstFactor: FirstFactor): Promise<boolean> {
    const isSent = this.canSend && (await this.send(user, pageRequest)) === undefined;
    await this.pending.start(user, pageRequest, firstFactor);
    return isSent;
  }

  /** Discards the pending login of this browser. */
  async forget(pageRequest: PageRequest): Promise<void> {
    await this.pending.end(pageRequest);
  }

  /**
   * Returns the user who may enter a code in this browser: after the first factor, or to strengthen a session.
   * `undefined` if there is no such user.
   */
  async find(pageRequest: PageRequest): Promise<PendingUser | undefined> {
    const pendingLogin = await this.pending.find(pageRequest);
    if (pendingLogin) return { user: pendingLogin.user, firstFactor: pendingLogin };
    const session = await this.site.modelSessions!.findSession(pageRequest.request);
    const { acr } = this.options;
    if (!session || acr === undefined || session.acr === acr) return undefined;
    return (await this.policy.isEnrolled(session.user)) ? { user: session.user, session } : undefined;
  }

  async send(user: User, pageRequest: PageRequest): Promise<Delay | undefined> {
    return unlessBusy(async () => {
      const allowed = await this.admit(user, pageRequest, 'send');
      if (!allowed) return 'throttled';
      await unlessUnavailable(async () => this.factor.send!(user), allowed);
      return undefined;
    }, pageRequest);
  }

  async verify(user: User, code: string, pageRequest: PageRequest): Promise<Delay | 'codeWrong' | undefined> {
    return unlessBusy(async () => {
      const allowed = await this.admit(user, pageRequest, 'code');
      if (!allowed) return 'throttled';
      const verdict: unknown = await unlessUnavailable(async () => this.factor.verify(user, code), allowed);
      if (verdict !== true) return 'codeWrong';
      await allowed.giveBack();
      await giveBackSentCode(attemptOf(user, pageRequest), this.site.server);
      return undefined;
    }, pageRequest);
  }

  /**
   * Starts the session after a correct code. If a session existed, it keeps its login time and expiry, so that a client
   * that requests a new login still gets one.
   * @returns `false` if the pending login or session has expired or was ended
   */
  async complete({ user, session }: PendingUser, pageRequest: PageRequest): Promise<boolean> {
    const { acr, amr } = this.options;
    // The session may have been ended while the code was verified.
    const now = await this.find(pageRequest);
    if (!now || formBinding(now.user) !== formBinding(user) || !now.session !== !session) return false;
    await this.pending.end(pageRequest);
    const { modelSessions: own } = this.site;
    const before = session ?? now.firstFactor;
    const more = {
      ...(session && { authTime: session.authTime, expiresAt: session.expiresAt }),
      ...(now.firstFactor && { authTime: now.firstFactor.authTime }),
      rememberUntil: session
        ? await own!.rememberedUntil(user, pageRequest)
        : own!.rememberUntil(now.firstFactor?.remember),
      acr: acr ?? before?.acr,
      amr: [...new Set([...(before?.amr ?? ['pwd']), ...amr, 'mfa'])],
    };
    await startSession(this.site, user, pageRequest, more);
    return true;
  }

  private admit(user: User, pageRequest: PageRequest, secondFactor: 'code' | 'send') {
    return admit(
      { ...attemptOf(user, pageRequest), secondFactor },
      { server: this.site.server, response: pageRequest.response },
    );
  }

  private get factor(): SecondFactor {
    return this.site.server.find(SECOND_FACTOR)!;
  }
}

const attemptOf = (user: User, { request }: PageRequest) => ({
  account: String(user['id']),
  request: request['native'],
});
