import type { Session, User } from '../../../lib/index.js';
import { isSameUser } from '../../interaction/same-user.js';
import { countedAttempt, giveBackSentCode } from '../login/attempts.js';
import { type Continued, loginFlowOf } from '../login/login-flow.js';
import { startSession } from '../login/start-session.js';
import { SECOND_FACTOR_STEP } from '../login/steps.js';
import { returnPath, type Site, type PageRequest } from '../site.js';
import {
  DEFAULT_SECOND_FACTOR,
  PASSKEY_FACTOR,
  type ResolvedSecondFactor,
  resolveSecondFactor,
  SECOND_FACTOR,
  type SecondFactor,
} from './options.js';
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
    readonly options: ResolvedSecondFactor,
    private readonly factor: SecondFactor,
  ) {
    this.policy = new SecondFactorPolicy(site, options, factor);
  }

  /** Returns the second factor of a site. `undefined` if neither the application nor a feature has one. */
  static of(site: Site): SecondFactorLogin | undefined {
    const { server, options } = site;
    const onlyPasskeys = server.find(PASSKEY_FACTOR) && NO_CODES;
    const factor = server.find(SECOND_FACTOR) ?? server.find(DEFAULT_SECOND_FACTOR) ?? onlyPasskeys;
    const { secondFactor = resolveSecondFactor({}, options.signIn?.acr) } = options;
    return factor && new SecondFactorLogin(site, secondFactor, factor);
  }

  get canSend(): boolean {
    return typeof this.factor.send === 'function';
  }

  /** Returns the user of this browser whose session a code can strengthen. `undefined` if there is none. */
  async findSession({ request }: PageRequest): Promise<PendingUser | undefined> {
    const session = await this.site.modelSessions!.findSession(request);
    const { acr } = this.options;
    if (!session || (acr === undefined ? this.policy.hadTwoFactors(session) : session.acr === acr)) return undefined;
    return (await this.policy.isAvailable(session.user)) ? { user: session.user, session } : undefined;
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
   * @param methods the authentication methods of a factor that is not a code. RFC 8176 §2
   * @returns where to go. `undefined` if the pending login or session has expired or was ended.
   */
  async complete(
    { user, session }: PendingUser,
    pageRequest: PageRequest,
    methods: readonly string[] = this.options.amr,
  ): Promise<Continued | undefined> {
    const { acr } = this.options;
    const amr = [...methods, 'mfa'];
    if (!session) {
      return loginFlowOf(this.site).pass(SECOND_FACTOR_STEP, user['id'], pageRequest, { acr, amr });
    }
    const now = await this.findSession(pageRequest);
    if (!isSameUser(now?.user, user)) return undefined;
    const isStarted = await startSession(this.site, user, pageRequest, {
      // A change of the password ends the session, and may not find the one that is saved at the same time.
      isCurrent: async () => Boolean(await this.site.findUser(pageRequest.request)),
      authTime: session.authTime,
      expiresAt: session.expiresAt,
      rememberUntil: await this.site.modelSessions!.rememberedUntil(user, pageRequest),
      acr: acr ?? session.acr,
      amr: [...new Set([...(session.amr ?? ['pwd']), ...amr])],
    });
    if (!isStarted) return undefined;
    return { path: returnPath(pageRequest.request) };
  }

  private limited({ response }: PageRequest) {
    return { server: this.site.server, response };
  }
}

/** The codes of users on a server that only has passkeys. */
const NO_CODES: SecondFactor = { isEnrolled: () => false, verify: () => false };

const attemptOf = (user: User, { request }: PageRequest) => ({
  account: String(user['id']),
  request: request['native'],
});
