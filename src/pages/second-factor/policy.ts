import { hasRequestedAcr, OPENID } from '../../../lib/adapter/index.js';
import type { Session, SignIn, User } from '../../../lib/index.js';
import { type Site, type Visit, wantedAcr } from '../site.js';
import { SECOND_FACTOR } from './capability.js';
import type { SettledSecondFactor } from './options.js';

/** How a user was authenticated. */
export type Proof = Pick<SignIn, 'acr' | 'amr' | 'authTime'> & Pick<Session, 'remember'>;

/** Decides whether a user must enter a code. */
export class SecondFactorPolicy {
  constructor(
    private readonly site: Site,
    private readonly options: SettledSecondFactor,
  ) {}

  /**
   * Whether the user must enter a code before a session starts.
   * @param proof how the application authenticated the user. If omitted, by the password on the login page.
   */
  async isDue(user: User, visit: Visit, proof?: Proof): Promise<boolean> {
    if (proof && this.isProven(proof)) return false;
    const isWanted = this.options.when === 'always' || this.isNeeded(visit, (proof ?? this.passwordProof).acr);
    return isWanted && this.isEnrolled(user);
  }

  /** Does a client want more of who is signed in than they have proven, and can they prove that? */
  async isStepUp(user: User, visit: Visit): Promise<boolean> {
    const session = await this.site.own!.findSession(visit.request);
    return this.isNeeded(visit, session?.acr) && this.isEnrolled(user);
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
  get passwordProof(): Proof {
    return { acr: this.options.password, amr: this.site.options.signIn?.amr ?? ['pwd'] };
  }

  /** Whether the user has set up the second factor. */
  async isEnrolled(user: User): Promise<boolean> {
    return Boolean(await this.site.server.find(SECOND_FACTOR)!.factor.isEnrolled(user));
  }
}
