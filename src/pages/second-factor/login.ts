import type { Session, User } from '../../../lib/index.js';
import { countedAttempt, giveBackSentCode } from '../login/attempts.js';
import { type Continued, loginFlowOf } from '../login/login-flow.js';
import { startSession } from '../login/start-session.js';
import { SECOND_FACTOR_STEP } from '../login/steps.js';
import { returnPath, type Site, type PageRequest } from '../site.js';
import { type ResolvedSecondFactor, SECOND_FACTOR, type SecondFactor } from './options.js';
import { SecondFactorPolicy } from './policy.js';

/** Why a code could not be verified or sent. */
type Delay = 'busy' | 'throttled';

/** The user who must enter a code: in a pending login, or to strengthen an existing session. */
export interface PendingUser {
  user: User;
  /** The session to strengthen. If omitted, the user is not signed in yet. */
  session?: Session;
}

/** The second factor of logins and sessions: sends codes, verifies them, and continues the login. */
export class SecondFactorLogin {
  readonly policy: SecondFactorPolicy;

  constructor(
    private readonly site: Site,
    private readonly options: ResolvedSecondFactor,
  ) {
    this.policy = new SecondFactorPolicy(site, options);
  }

  static of(site: Site): SecondFactorLogin | undefined {
    const { secondFactor } = site.options;
    return secondFactor && new SecondFactorLogin(site, secondFactor);
  }

  get canSend(): boolean {
    return typeof this.factor.send === 'function';
  }

  /** Returns the user of this browser whose session a code can strengthen. `undefined` if there is none. */
  async findSession({ request }: PageRequest): Promise<PendingUser | undefined> {
    const session = await this.site.modelSessions!.findSession(request);
    const { acr } = this.options;
    if (!session || acr === undefined || session.acr === acr) return undefined;
    return (await this.policy.isEnrolled(session.user)) ? { user: session.user, session } : undefined;
  }

  async send(user: User, pageRequest: PageRequest): Promise<Delay | undefined> {
    const attempt = { ...attemptOf(user, pageRequest), secondFactor: 'send' } as const;
    // A code that was sent counts until the user enters it.
    const outcome = await countedAttempt(attempt, this.limited(pageRequest), async () => {
      await this.factor.send!(user);
    });
    return outcome ?? undefined;
  }

  async verify(user: User, code: string, pageRequest: PageRequest): Promise<Delay | 'codeWrong' | undefined> {
    const attempt = { ...attemptOf(user, pageRequest), secondFactor: 'code' } as const;
    const outcome = await countedAttempt(attempt, this.limited(pageRequest), async () => {
      const verdict: unknown = await this.factor.verify(user, code);
      return verdict === true;
    });
    if (outcome === 'busy' || outcome === 'throttled') return outcome;
    if (!outcome) return 'codeWrong';
    await giveBackSentCode(attemptOf(user, pageRequest), this.site.server);
    return undefined;
  }

  /**
   * Continues the login or strengthens the session after a correct code. The session keeps its login time and expiry,
   * so that a client that requests a new login still gets one.
   * @returns where to go. `undefined` if the pending login or session has expired or was ended.
   */
  async complete({ user, session }: PendingUser, pageRequest: PageRequest): Promise<Continued | undefined> {
    const { acr } = this.options;
    const amr = [...this.options.amr, 'mfa'];
    if (!session) {
      return loginFlowOf(this.site).pass(SECOND_FACTOR_STEP, user['id'], pageRequest, { acr, amr });
    }
    const now = await this.findSession(pageRequest);
    if (!now || String(now.user['id']) !== String(user['id'])) return undefined;
    await startSession(this.site, user, pageRequest, {
      authTime: session.authTime,
      expiresAt: session.expiresAt,
      rememberUntil: await this.site.modelSessions!.rememberedUntil(user, pageRequest),
      acr: acr ?? session.acr,
      amr: [...new Set([...(session.amr ?? ['pwd']), ...amr])],
    });
    return { path: returnPath(pageRequest.request) };
  }

  private limited({ response }: PageRequest) {
    return { server: this.site.server, response };
  }

  private get factor(): SecondFactor {
    return this.site.server.find(SECOND_FACTOR)!;
  }
}

const attemptOf = (user: User, { request }: PageRequest) => ({
  account: String(user['id']),
  request: request['native'],
});
