import { hasRequestedAcr, OPENID } from '../../lib/adapter/index.js';
import type { Session, SignIn, User } from '../../lib/index.js';
import { boundToTenant } from '../tenants/tenant-of.js';
import { type Attempt, isTooMany, type Throttle } from './attempts.js';
import { HalfSessions } from './half-sessions.js';
import { SECOND_FACTOR, type SecondFactor, type SettledSecondFactor } from './second-factor.js';
import { subjectOf } from './second-factor-page.js';
import { type Site, type Visit, wantedAcr } from './site.js';
import { startSession } from './start-session.js';
import { unlessBusy } from './unless-busy.js';

/** Why a code could not be tried or sent now. */
type Delay = 'busy' | 'throttled';

/** How a user was authenticated. */
type Proof = Pick<SignIn, 'acr' | 'amr' | 'authTime'> & Pick<Session, 'remember'>;

/** The user who must enter a code: after the first factor, or to add one to an existing session. */
export interface First {
  user: User;
  /** The session that becomes stronger. If omitted, the user is not signed in yet. */
  session?: Session;
  /** The first factor of a user who is not signed in yet. */
  proof?: Proof;
}

/** What of a login follows the password, where the host has a second factor. */
export class SecondStep {
  private readonly halves: HalfSessions;

  constructor(
    private readonly site: Site,
    private readonly options: SettledSecondFactor,
  ) {
    this.halves = new HalfSessions(site.server, options.lifetime);
  }

  static of(site: Site): SecondStep | undefined {
    const { secondFactor } = site.options;
    return secondFactor && new SecondStep(site, secondFactor);
  }

  get canSend(): boolean {
    return typeof this.factor.send === 'function';
  }

  /**
   * Whether the user must enter a code before a session starts.
   * @param proof how the application authenticated the user. If omitted, by the password on the login page.
   */
  async isDue(user: User, visit: Visit, proof?: Proof): Promise<boolean> {
    if (proof && this.isProven(proof)) return false;
    const isWanted = this.options.when === 'always' || this.isNeeded(visit, (proof ?? this.password).acr);
    return isWanted && this.isEnrolled(user);
  }

  /** Does a client want more of who is signed in than they have proven, and can they prove that? */
  async isStepUp(user: User, visit: Visit): Promise<boolean> {
    const session = await this.site.own!.findSession(visit.request);
    return this.isNeeded(visit, session?.acr) && this.isEnrolled(user);
  }

  /** Sends a code if codes are sent, and starts a pending login after a correct password. */
  async begin(user: User, visit: Visit, remember: boolean): Promise<Delay | undefined> {
    const delay = this.canSend ? await this.send(user, visit) : undefined;
    if (delay === undefined) await this.halves.start(user, visit, { ...this.password, remember });
    return delay;
  }

  /**
   * Like `begin()`, but starts the pending login even if no code could be sent: the page of the second factor can send one.
   * @returns whether a code was sent
   */
  async beginAnyway(user: User, visit: Visit, proof: Proof): Promise<boolean> {
    const isSent = this.canSend && (await this.send(user, visit)) === undefined;
    await this.halves.start(user, visit, proof);
    return isSent;
  }

  /** Forgets who has given a password in this browser, and nothing more. */
  async forget(visit: Visit): Promise<void> {
    await this.halves.end(visit);
  }

  /** Who is to bring a code; undefined: nobody. */
  async find(visit: Visit): Promise<First | undefined> {
    const half = await this.halves.find(visit);
    if (half) return { user: half.user, proof: half };
    const session = await this.site.own!.findSession(visit.request);
    const { acr } = this.options;
    if (!session || acr === undefined || session.acr === acr) return undefined;
    return (await this.isEnrolled(session.user)) ? { user: session.user, session } : undefined;
  }

  async send(user: User, visit: Visit): Promise<Delay | undefined> {
    const attempt = this.attemptOf(user, visit, 'send');
    if (await isTooMany(this.throttle, attempt, visit.response)) return 'throttled';
    return (await unlessBusy(async () => this.factor.send!(user), visit)) === 'busy' ? 'busy' : undefined;
  }

  async verify(user: User, code: string, visit: Visit): Promise<Delay | 'codeWrong' | undefined> {
    const attempt = this.attemptOf(user, visit, 'code');
    if (await isTooMany(this.throttle, attempt, visit.response)) return 'throttled';
    const verdict: unknown = await unlessBusy(async () => this.factor.verify(user, code), visit);
    if (verdict === 'busy') return verdict;
    if (verdict !== true) return 'codeWrong';
    for (const one of [attempt, this.attemptOf(user, visit, 'send')]) await this.throttle.forgive?.(one);
    return undefined;
  }

  /**
   * Signs in who has brought both. Beside a session the code stands alone: when its password was given stays as it was, and when it
   * ends, so that nobody who is asked for a fresh login gets by without.
   * @returns false: what they had proven before is over
   */
  async complete({ user, session }: First, visit: Visit): Promise<boolean> {
    const { acr, amr } = this.options;
    // It may have been ended while the code was looked up.
    const now = await this.find(visit);
    if (!now || subjectOf(now.user) !== subjectOf(user) || !now.session !== !session) return false;
    await this.halves.end(visit);
    const { own } = this.site;
    const before = session ?? now.proof;
    const more = {
      ...(session && { authTime: session.authTime, expiresAt: session.expiresAt }),
      ...(now.proof && { authTime: now.proof.authTime }),
      rememberUntil: session ? await own!.rememberedUntil(user, visit) : own!.rememberUntil(now.proof?.remember),
      acr: acr ?? before?.acr,
      amr: [...new Set([...(before?.amr ?? ['pwd']), ...amr, 'mfa'])],
    };
    await startSession(this.site, user, visit, more);
    return true;
  }

  /** Does the second factor make of a login that does not do for a client one that does? */
  private isNeeded({ request }: Visit, has: string | undefined): boolean {
    const { acr } = this.options;
    const known = this.site.server.find(OPENID)?.acrValues ?? [];
    const wanted = wantedAcr(request) ?? [];
    const isEnough = (one: string | undefined) =>
      hasRequestedAcr({ signIn: one === undefined ? {} : { acr: one } }, wanted, known);
    return acr !== undefined && !isEnough(has) && isEnough(acr);
  }

  /** Whether the login had two factors already. */
  private isProven({ acr, amr }: Proof): boolean {
    if (amr?.includes('mfa')) return true;
    const known = this.site.server.find(OPENID)?.acrValues ?? [];
    const wanted = this.options.acr === undefined ? [] : [this.options.acr];
    return acr !== undefined && hasRequestedAcr({ signIn: { acr } }, wanted, known, true);
  }

  /** How a login by password is described. */
  private get password(): Proof {
    return { acr: this.options.password, amr: this.site.options.signIn?.amr ?? ['pwd'] };
  }

  private async isEnrolled(user: User): Promise<boolean> {
    return Boolean(await this.factor.isEnrolled(user));
  }

  private attemptOf(user: User, { request }: Visit, secondFactor: 'code' | 'send'): Attempt {
    const username = `${secondFactor} of\n${boundToTenant(String(user['id']), this.site.server)}`;
    return { username, secondFactor, request: request['native'] };
  }

  private get throttle(): Throttle {
    return this.site.options.codeThrottle(this.site.server);
  }

  private get factor(): SecondFactor {
    return this.site.server.find(SECOND_FACTOR)!.factor;
  }
}
