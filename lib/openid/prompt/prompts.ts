import {
  AccountSelectionRequiredError,
  InteractionRequiredError,
  LoginRequiredError,
  type OAuthError,
  UnmetAuthenticationRequirementsError,
} from '../../errors/index.js';
import type { Parameters } from '../../http/parameters.js';
import type { Need, Presence, Wanted } from '../../contracts/required-interaction.js';
import type { AuthorizationRequest } from '../../contracts/response-type.js';
import { ownHint } from '../hint-parameter.js';
import { namedClaims } from '../named-claims.js';
import type { OpenIdProvider } from '../openid-capability.js';
import type { OpenIdSettings } from '../options.js';
import { type AskedPrompt, essentialAcr, essentialSubject, readPrompt } from './asked-prompt.js';
import { isFresh, isRecent, isStrong } from './presence.js';

/** Why a request cannot be decided yet: what the client hears that forbids to ask. */
interface Missing {
  error: OAuthError;
  /** It has been asked for already, and was not given. */
  isFinal?: boolean;
}

/** A request, and who is there. */
interface Visit {
  asked: AuthorizationRequest;
  said: AskedPrompt;
  presence: Presence;
  provider: OpenIdProvider;
}

/** What OpenID Connect wants of users before a request is decided. OpenID Connect Core 1.0 §3.1.2.3 */
export class Prompts {
  private readonly read = new WeakMap<AuthorizationRequest, AskedPrompt>();

  private readonly known: readonly string[];

  constructor(private readonly settings: Pick<OpenIdSettings, 'acrValues' | 'signUp'>) {
    this.known = settings.acrValues;
  }

  /** Reads what a request says of its user, before anybody has to sign in for one that is not in order. */
  ask(parameters: Parameters, asked: AuthorizationRequest): void {
    this.read.set(asked, readPrompt(parameters, asked.client, this.settings.signUp));
  }

  async need(asked: AuthorizationRequest, presence: Presence, provider: OpenIdProvider): Promise<Need | undefined> {
    const said = this.read.get(asked);
    if (!said) return undefined;
    const silent = said.prompt.has('none');
    const missing = await this.findMissing({ asked, said, presence, provider });
    if (missing && (silent || missing.isFinal)) throw missing.error;
    const login = missing !== undefined && (presence.user !== undefined || isDemanding(said, asked));
    const consent = said.prompt.has('consent') || isNaming(asked);
    return { silent, login, consent, wanted: this.wantedOf(said, asked, presence) };
  }

  /** The first thing that is missing: who is asked for that is asked for all. */
  private async findMissing({ asked, said, presence, provider }: Visit): Promise<Missing | undefined> {
    const { user, signIn, prompted } = presence;
    if (!user) return loginRequired('somebody is signed in');
    if (isDue(said, presence) && !isFresh(presence)) {
      const isFinal = prompted !== undefined && signIn?.authTime === undefined;
      return {
        ...loginRequired('the login is as recent as the client wants it, and the host says when it was'),
        isFinal,
      };
    }
    if (said.prompt.has('select_account') && !prompted) {
      return { error: new AccountSelectionRequiredError('Account selection required: the user has to choose one') };
    }
    if (!(await isExpected({ asked, said, presence, provider }))) {
      return { ...loginRequired('the user is the one whom the client names'), isFinal: prompted !== undefined };
    }
    return this.findWeakness(asked, said, presence);
  }

  /** What a client merely would like is asked for once; without what is essential to it nothing is granted. §5.5.1.1, RFC 9470 §4 */
  private findWeakness(asked: AuthorizationRequest, said: AskedPrompt, presence: Presence): Missing | undefined {
    const essential = essentialAcr(asked);
    if (essential && !isStrong(presence, essential, this.known, true)) {
      const isFinal = presence.prompted !== undefined || !essential.some((acr) => this.known.includes(acr));
      return { error: new UnmetAuthenticationRequirementsError(TOO_WEAK), isFinal };
    }
    if (presence.prompted || isStrong(presence, said.acrValues, this.known)) return undefined;
    return { error: new InteractionRequiredError('Interaction required: the user has to prove more') };
  }

  private wantedOf(said: AskedPrompt, asked: AuthorizationRequest, presence: Presence): Wanted {
    const { prompt, hint, locales, display } = said;
    const acr = (essentialAcr(asked) ?? said.acrValues).filter((one) => this.known.includes(one));
    return {
      ...(isDue(said, presence) && { fresh: true }),
      ...(prompt.has('select_account') && { account: true }),
      ...(prompt.has('create') && { create: true }),
      ...(acr.length > 0 && { acr }),
      ...(hint !== undefined && { hint }),
      ...(locales.length > 0 && { locales }),
      ...(display !== undefined && { display }),
    };
  }
}

/** Is it somebody whom the client has named? OpenID Connect Core 1.0 §3.1.2.2, §5.5.1 */
async function isExpected({ asked, said, presence, provider }: Visit): Promise<boolean> {
  const hint = said.idTokenHint === undefined ? undefined : await ownHint(provider, said.idTokenHint, asked);
  const named = [essentialSubject(asked), hint?.sub].filter((one) => one !== undefined);
  return named.every((one) => provider.isKnownAs(presence.user!, asked.client, one));
}

/** What is asked for by name, no consent to a scope has told the user of: it is shown each time, save to users of your own application. */
const isNaming = ({ client, data }: AuthorizationRequest) =>
  namedClaims(data).length > 0 && (client as { consent?: unknown }).consent !== 'never';

/** Is a login wanted that is made for the request? */
const isDue = ({ prompt, maxAge }: AskedPrompt, presence: Presence) =>
  prompt.has('login') || prompt.has('create') || (maxAge !== undefined && !isRecent(presence, maxAge));

/** Does it want more than that somebody is signed in? Then who is sent there has to show that they were. */
const isDemanding = ({ prompt, maxAge, acrValues, idTokenHint }: AskedPrompt, asked: AuthorizationRequest) =>
  ['login', 'select_account', 'create'].some((one) => prompt.has(one)) ||
  acrValues.length > 0 ||
  [maxAge, idTokenHint, essentialAcr(asked), essentialSubject(asked)].some((one) => one !== undefined);

const loginRequired = (rule: string): Missing => ({
  error: new LoginRequiredError('Login required: the user has to sign in').because({ rule }),
});

const TOO_WEAK = 'Unmet authentication requirements: the user has not proven as much as is essential to the client';
