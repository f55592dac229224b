import { hasRequestedAcr, OPENID } from '../../../lib/internal.js';
import type { User } from '../../../lib/index.js';
import type { Login } from '../login/steps.js';
import { type Site, type PageRequest, requestedAcr } from '../site.js';
import { PASSKEY_FACTOR, type ResolvedSecondFactor, type SecondFactor } from './options.js';

/** Decides whether a user must enter a code. */
export class SecondFactorPolicy {
  constructor(
    private readonly site: Site,
    private readonly options: ResolvedSecondFactor,
    private readonly factor: SecondFactor,
  ) {}

  /** Whether the user must enter a code before a session starts. */
  async isRequired(login: Login, pageRequest: PageRequest): Promise<boolean> {
    if (this.hadTwoFactors(login)) return false;
    if (this.wouldSatisfy(pageRequest, login.acr)) return this.isAvailable(login.user);
    return this.options.when === 'always' && this.isEnrolled(login.user);
  }

  /**
   * Whether the authorization request requires a stronger login than that of the session, and a second factor of the
   * user would satisfy it.
   */
  async isStepUpRequested(user: User, pageRequest: PageRequest): Promise<boolean> {
    const session = await this.site.modelSessions!.findSession(pageRequest.request);
    return this.wouldSatisfy(pageRequest, session?.acr) && this.isAvailable(user);
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
  hadTwoFactors({ acr, amr }: Pick<Login, 'acr' | 'amr'>): boolean {
    if (amr?.includes('mfa')) return true;
    const acrValues = this.site.server.find(OPENID)?.acrValues ?? [];
    const requested = this.options.acr === undefined ? [] : [this.options.acr];
    return acr !== undefined && hasRequestedAcr({ signIn: { acr } }, requested, acrValues, true);
  }

  /** Whether the user can prove a second factor: a code, or a passkey. A passkey alone does not make it required. */
  async isAvailable(user: User): Promise<boolean> {
    return (await this.isEnrolled(user)) || this.hasPasskey(user);
  }

  /** Whether the user may use a passkey instead of a code. */
  async hasPasskey(user: User): Promise<boolean> {
    return Boolean(await this.site.server.find(PASSKEY_FACTOR)?.has(user));
  }

  /** Whether the user has set up codes. */
  async isEnrolled(user: User): Promise<boolean> {
    return Boolean(await this.factor.isEnrolled(user));
  }
}
