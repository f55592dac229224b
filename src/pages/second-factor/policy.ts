import { hasRequestedAcr, OPENID } from '../../../lib/adapter/index.js';
import type { User } from '../../../lib/index.js';
import type { Login } from '../login/steps.js';
import { type Site, type PageRequest, requestedAcr } from '../site.js';
import { type ResolvedSecondFactor, SECOND_FACTOR } from './options.js';

/** Decides whether a user must enter a code. */
export class SecondFactorPolicy {
  constructor(
    private readonly site: Site,
    private readonly options: ResolvedSecondFactor,
  ) {}

  /** Whether the user must enter a code before a session starts. */
  async isRequired(login: Login, pageRequest: PageRequest): Promise<boolean> {
    if (this.hadTwoFactors(login)) return false;
    const isWanted = this.options.when === 'always' || this.wouldSatisfy(pageRequest, login.acr);
    return isWanted && this.isEnrolled(login.user);
  }

  /**
   * Whether the authorization request requires a stronger login than that of the session, and a second factor of the
   * user would satisfy it.
   */
  async isStepUpRequested(user: User, pageRequest: PageRequest): Promise<boolean> {
    const session = await this.site.modelSessions!.findSession(pageRequest.request);
    return this.wouldSatisfy(pageRequest, session?.acr) && this.isEnrolled(user);
  }

  /** Whether the login lacks the `acr` that a client requests, and the second factor would provide it. */
  private wouldSatisfy({ request }: PageRequest, has: string | undefined): boolean {
    const { acr } = this.options;
    const acrValues = this.site.server.find(OPENID)?.acrValues ?? [];
    const requested = requestedAcr(request) ?? [];
    const isEnough = (one: string | undefined) =>
      hasRequestedAcr({ signIn: one === undefined ? {} : { acr: one } }, requested, acrValues);
    return acr !== undefined && !isEnough(has) && isEnough(acr);
  }

  /** Whether the login already had two factors. */
  private hadTwoFactors({ acr, amr }: Login): boolean {
    if (amr?.includes('mfa')) return true;
    const acrValues = this.site.server.find(OPENID)?.acrValues ?? [];
    const requested = this.options.acr === undefined ? [] : [this.options.acr];
    return acr !== undefined && hasRequestedAcr({ signIn: { acr } }, requested, acrValues, true);
  }

  /** Whether the user has set up the second factor. */
  async isEnrolled(user: User): Promise<boolean> {
    return Boolean(await this.site.server.find(SECOND_FACTOR)!.isEnrolled(user));
  }
}
