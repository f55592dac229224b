import {
  AccountSelectionRequiredError,
  InteractionRequiredError,
  LoginRequiredError,
  type OAuthError,
  UnmetAuthenticationRequirementsError,
} from '../../errors/index.js';
import type { Parameters } from '../../http/parameters.js';
import type { RequiredInteraction, AuthenticationState, RequestedLogin } from '../../contracts/required-interaction.js';
import type { AuthorizationRequest } from '../../contracts/response-type.js';
import { readOwnHint } from '../hint-parameter.js';
import { namedClaims } from '../named-claims.js';
import type { OpenIdProvider } from '../openid-capability.js';
import type { OpenIdSettings } from '../options.js';
import { type RequestedPrompt, essentialAcr, essentialSubject, readPrompt } from './requested-prompt.js';
import { isFresh, isRecent, hasRequestedAcr } from './login-checks.js';

/**
 * A requirement of the authorization request that the user does not meet yet. `error` is returned to the client if the
 * user cannot be asked.
 */
interface UnmetRequirement {
  error: OAuthError;
  /** Whether the user was already asked, so that asking again is useless. */
  isFinal?: boolean;
}

/** An authorization request, and the authentication state of its user. */
interface PromptContext {
  request: AuthorizationRequest;
  requested: RequestedPrompt;
  authentication: AuthenticationState;
  provider: OpenIdProvider;
}

/** The requirements of OpenID Connect for the user's login and consent. OpenID Connect Core 1.0 §3.1.2.3 */
export class Prompts {
  private readonly requestedPrompts = new WeakMap<AuthorizationRequest, RequestedPrompt>();

  private readonly acrValues: readonly string[];

  constructor(private readonly settings: Pick<OpenIdSettings, 'acrValues' | 'signUp'>) {
    this.acrValues = settings.acrValues;
  }

  /**
   * Reads the parameters that control the login, such as `prompt`. Invalid parameters are rejected before the user has
   * to sign in.
   */
  readParameters(parameters: Parameters, request: AuthorizationRequest): void {
    this.requestedPrompts.set(request, readPrompt(parameters, request.client, this.settings.signUp));
  }

  /**
   * Returns the interaction that a request requires before it may be decided, or `undefined` if it requires none.
   * @throws {OAuthError} If interaction is required but the client forbids it, or if asking the user again is useless.
   */
  async requiredInteraction(
    request: AuthorizationRequest,
    authentication: AuthenticationState,
    provider: OpenIdProvider,
  ): Promise<RequiredInteraction | undefined> {
    const requested = this.requestedPrompts.get(request);
    if (!requested) return undefined;
    const silent = requested.prompt.has('none');
    const unmet = await this.findUnmetRequirement({ request, requested, authentication, provider });
    if (unmet && (silent || unmet.isFinal)) throw unmet.error;
    const login =
      unmet !== undefined && (authentication.user !== undefined || requiresSpecificLogin(requested, request));
    const consent = requested.prompt.has('consent') || requestsClaimsByName(request);
    return { silent, login, consent, requestedLogin: this.requestedLogin(requested, request, authentication) };
  }

  /**
   * Returns the first requirement that is not met, or `undefined` if all are met. A user who has to interact is asked
   * for all requirements at once.
   */
  private async findUnmetRequirement({
    request,
    requested,
    authentication,
    provider,
  }: PromptContext): Promise<UnmetRequirement | undefined> {
    const { user, signIn, loginPrompt } = authentication;
    if (!user) return loginRequired('no user is signed in');
    if (requiresNewLogin(requested, authentication) && !isFresh(authentication)) {
      const isFinal = loginPrompt !== undefined && signIn?.authTime === undefined;
      return {
        ...loginRequired('login is not as recent as the client requires, or the interaction did not report its time'),
        isFinal,
      };
    }
    if (requested.prompt.has('select_account') && !loginPrompt) {
      return {
        error: new AccountSelectionRequiredError('Account selection required: the user has to choose an account'),
      };
    }
    if (!(await isExpected({ request, requested, authentication, provider }))) {
      return {
        ...loginRequired('signed-in user is not the user that the client requests'),
        isFinal: loginPrompt !== undefined,
      };
    }
    return this.findWeakLogin(request, requested, authentication);
  }

  /**
   * Checks the strength of the login. A preferred class is requested once; without an essential one, nothing is
   * granted. OpenID Connect Core 1.0 §5.5.1.1, RFC 9470 §4
   */
  private findWeakLogin(
    request: AuthorizationRequest,
    requested: RequestedPrompt,
    authentication: AuthenticationState,
  ): UnmetRequirement | undefined {
    const essential = essentialAcr(request);
    if (essential && !hasRequestedAcr(authentication, essential, this.acrValues, true)) {
      const isFinal =
        authentication.loginPrompt !== undefined || !essential.some((acr) => this.acrValues.includes(acr));
      return { error: new UnmetAuthenticationRequirementsError(TOO_WEAK), isFinal };
    }
    if (authentication.loginPrompt || hasRequestedAcr(authentication, requested.acrValues, this.acrValues))
      return undefined;
    return {
      error: new InteractionRequiredError('Interaction required: the user has to sign in with a stronger method'),
    };
  }

  private requestedLogin(
    requested: RequestedPrompt,
    request: AuthorizationRequest,
    authentication: AuthenticationState,
  ): RequestedLogin {
    const { prompt, hint, locales, display } = requested;
    const acr = (essentialAcr(request) ?? requested.acrValues).filter((one) => this.acrValues.includes(one));
    return {
      ...(requiresNewLogin(requested, authentication) && { reauthenticate: true }),
      ...(prompt.has('select_account') && { selectAccount: true }),
      ...(prompt.has('create') && { createAccount: true }),
      ...(acr.length > 0 && { acr }),
      ...(hint !== undefined && { loginHint: hint }),
      ...(locales.length > 0 && { locales }),
      ...(display !== undefined && { display }),
    };
  }
}

/**
 * Whether the signed-in user is the one that the client requests, by a hint or by the claim `sub`. OpenID Connect Core
 * 1.0 §3.1.2.2, §5.5.1
 */
async function isExpected({ request, requested, authentication, provider }: PromptContext): Promise<boolean> {
  const hint =
    requested.idTokenHint === undefined ? undefined : await readOwnHint(provider, requested.idTokenHint, request);
  const subjects = [essentialSubject(request), hint?.sub].filter((one) => one !== undefined);
  return subjects.every((one) => provider.isKnownAs(authentication.user!, request.client, one));
}

/**
 * Whether the user must see the claims that are requested by name. No earlier consent to a scope covers them, so they
 * are shown each time, except to users of first-party clients.
 */
const requestsClaimsByName = ({ client, data }: AuthorizationRequest) =>
  namedClaims(data).length > 0 && (client as { consent?: unknown }).consent !== 'never';

/** Whether the request requires a new login. */
const requiresNewLogin = ({ prompt, maxAge }: RequestedPrompt, authentication: AuthenticationState) =>
  prompt.has('login') || prompt.has('create') || (maxAge !== undefined && !isRecent(authentication, maxAge));

/**
 * Whether the request requires more than a signed-in user. If so, a user who is sent to the login page must prove that
 * these requirements are met.
 */
const requiresSpecificLogin = (
  { prompt, maxAge, acrValues, idTokenHint }: RequestedPrompt,
  request: AuthorizationRequest,
) =>
  ['login', 'select_account', 'create'].some((one) => prompt.has(one)) ||
  acrValues.length > 0 ||
  [maxAge, idTokenHint, essentialAcr(request), essentialSubject(request)].some((one) => one !== undefined);

const loginRequired = (reason: string): UnmetRequirement => ({
  error: new LoginRequiredError('Login required: the user has to sign in').because({ reason }),
});

const TOO_WEAK = 'Unmet authentication requirements: the login is weaker than the client requires';
