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
import { isFresh, isRecent, isStrong } from './login-checks.js';

/** Why a request cannot be decided yet: what the client hears that forbids to ask. */
interface UnmetRequirement {
  error: OAuthError;
  /** It has been asked for already, and was not given. */
  isFinal?: boolean;
}

/** A request, and who is there. */
interface PromptContext {
  request: AuthorizationRequest;
  requested: RequestedPrompt;
  presence: AuthenticationState;
  provider: OpenIdProvider;
}

/** What OpenID Connect wants of users before a request is decided. OpenID Connect Core 1.0 §3.1.2.3 */
export class Prompts {
  private readonly requestedPrompts = new WeakMap<AuthorizationRequest, RequestedPrompt>();

  private readonly acrValues: readonly string[];

  constructor(private readonly settings: Pick<OpenIdSettings, 'acrValues' | 'signUp'>) {
    this.acrValues = settings.acrValues;
  }

  /** Reads what a request says of its user, before anybody has to sign in for one that is not in order. */
  readParameters(parameters: Parameters, asked: AuthorizationRequest): void {
    this.requestedPrompts.set(asked, readPrompt(parameters, asked.client, this.settings.signUp));
  }

  async requiredInteraction(
    asked: AuthorizationRequest,
    presence: AuthenticationState,
    provider: OpenIdProvider,
  ): Promise<RequiredInteraction | undefined> {
    const said = this.requestedPrompts.get(asked);
    if (!said) return undefined;
    const silent = said.prompt.has('none');
    const missing = await this.findUnmetRequirement({ request: asked, requested: said, presence, provider });
    if (missing && (silent || missing.isFinal)) throw missing.error;
    const login = missing !== undefined && (presence.user !== undefined || requiresSpecificLogin(said, asked));
    const consent = said.prompt.has('consent') || requestsClaimsByName(asked);
    return { silent, login, consent, requestedLogin: this.requestedLogin(said, asked, presence) };
  }

  /** The first thing that is missing: who is asked for that is asked for all. */
  private async findUnmetRequirement({
    request: asked,
    requested: said,
    presence,
    provider,
  }: PromptContext): Promise<UnmetRequirement | undefined> {
    const { user, signIn, loginPrompt: prompted } = presence;
    if (!user) return loginRequired('somebody is signed in');
    if (requiresNewLogin(said, presence) && !isFresh(presence)) {
      const isFinal = prompted !== undefined && signIn?.authTime === undefined;
      return {
        ...loginRequired('the login is as recent as the client wants it, and the host says when it was'),
        isFinal,
      };
    }
    if (said.prompt.has('select_account') && !prompted) {
      return { error: new AccountSelectionRequiredError('Account selection required: the user has to choose one') };
    }
    if (!(await isExpected({ request: asked, requested: said, presence, provider }))) {
      return { ...loginRequired('the user is the one whom the client names'), isFinal: prompted !== undefined };
    }
    return this.findWeakLogin(asked, said, presence);
  }

  /** What a client merely would like is asked for once; without what is essential to it nothing is granted. §5.5.1.1, RFC 9470 §4 */
  private findWeakLogin(
    asked: AuthorizationRequest,
    said: RequestedPrompt,
    presence: AuthenticationState,
  ): UnmetRequirement | undefined {
    const essential = essentialAcr(asked);
    if (essential && !isStrong(presence, essential, this.acrValues, true)) {
      const isFinal = presence.loginPrompt !== undefined || !essential.some((acr) => this.acrValues.includes(acr));
      return { error: new UnmetAuthenticationRequirementsError(TOO_WEAK), isFinal };
    }
    if (presence.loginPrompt || isStrong(presence, said.acrValues, this.acrValues)) return undefined;
    return { error: new InteractionRequiredError('Interaction required: the user has to prove more') };
  }

  private requestedLogin(
    said: RequestedPrompt,
    asked: AuthorizationRequest,
    presence: AuthenticationState,
  ): RequestedLogin {
    const { prompt, hint, locales, display } = said;
    const acr = (essentialAcr(asked) ?? said.acrValues).filter((one) => this.acrValues.includes(one));
    return {
      ...(requiresNewLogin(said, presence) && { reauthenticate: true }),
      ...(prompt.has('select_account') && { selectAccount: true }),
      ...(prompt.has('create') && { createAccount: true }),
      ...(acr.length > 0 && { acr }),
      ...(hint !== undefined && { loginHint: hint }),
      ...(locales.length > 0 && { locales }),
      ...(display !== undefined && { display }),
    };
  }
}

/** Is it somebody whom the client has named? OpenID Connect Core 1.0 §3.1.2.2, §5.5.1 */
async function isExpected({ request: asked, requested: said, presence, provider }: PromptContext): Promise<boolean> {
  const hint = said.idTokenHint === undefined ? undefined : await readOwnHint(provider, said.idTokenHint, asked);
  const named = [essentialSubject(asked), hint?.sub].filter((one) => one !== undefined);
  return named.every((one) => provider.isKnownAs(presence.user!, asked.client, one));
}

/** What is asked for by name, no consent to a scope has told the user of: it is shown each time, save to users of your own application. */
const requestsClaimsByName = ({ client, data }: AuthorizationRequest) =>
  namedClaims(data).length > 0 && (client as { consent?: unknown }).consent !== 'never';

/** Is a login wanted that is made for the request? */
const requiresNewLogin = ({ prompt, maxAge }: RequestedPrompt, presence: AuthenticationState) =>
  prompt.has('login') || prompt.has('create') || (maxAge !== undefined && !isRecent(presence, maxAge));

/** Does it want more than that somebody is signed in? Then who is sent there has to show that they were. */
const requiresSpecificLogin = (
  { prompt, maxAge, acrValues, idTokenHint }: RequestedPrompt,
  asked: AuthorizationRequest,
) =>
  ['login', 'select_account', 'create'].some((one) => prompt.has(one)) ||
  acrValues.length > 0 ||
  [maxAge, idTokenHint, essentialAcr(asked), essentialSubject(asked)].some((one) => one !== undefined);

const loginRequired = (reason: string): UnmetRequirement => ({
  error: new LoginRequiredError('Login required: the user has to sign in').because({ reason }),
});

const TOO_WEAK = 'Unmet authentication requirements: the user has not proven as much as is essential to the client';
