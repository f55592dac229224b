import { InvalidRequestError } from '../../errors/index.js';
import { DEFAULT_ACR_VALUES, DEFAULT_MAX_AGE } from '../client-fields.js';
import type { Parameters } from '../../http/parameters.js';
import { isText } from '../../http/syntax.js';
import type { CoreClient } from '../../model/model.js';
import type { AuthorizationRequest } from '../../contracts/response-type.js';
import type { RequestedClaims } from '../claims-parameter.js';
import { hintParameter } from '../hint-parameter.js';
import { listParameter } from '../list-parameter.js';

/** What an authorization request says of its user and their login. OpenID Connect Core 1.0 §3.1.2.1 */
export interface RequestedPrompt {
  prompt: ReadonlySet<string>;
  /** Seconds. */
  maxAge: number | undefined;
  /** The best first. */
  acrValues: readonly string[];
  hint: string | undefined;
  idTokenHint: string | undefined;
  locales: readonly string[];
  display: string | undefined;
}

/** Values that nobody has defined are let pass, as new ones may be. OpenID Connect Core 1.0 §3.1.2.1, Errata 2 */
const KNOWN_PROMPTS = ['none', 'login', 'consent', 'select_account'];
const DISPLAYS = ['page', 'popup', 'touch', 'wap'];

/** Characters that are read of `display`, and of a `login_hint`. */
const MAX_DISPLAY_LENGTH = 1000;
const MAX_LOGIN_HINT_LENGTH = 255;

/** @throws InvalidRequestError for what contradicts itself, or is not what it must be */
export function readPrompt(parameters: Parameters, client: CoreClient, signUp: boolean): RequestedPrompt {
  const values = new Set(listParameter(parameters, 'prompt'));
  if (values.has('none') && values.size > 1) {
    throw new InvalidRequestError('Invalid request: `prompt` is `none` and something else');
  }
  const maxAge = parameters.optional('max_age', (text) => /^\d{1,10}$/.test(text));
  const display = parameters.optional('display', (text) => text.length <= MAX_DISPLAY_LENGTH);
  const known = signUp ? [...KNOWN_PROMPTS, 'create'] : KNOWN_PROMPTS;
  return {
    prompt: new Set([...values].filter((value) => known.includes(value))),
    maxAge: maxAge === undefined ? DEFAULT_MAX_AGE.of(client) : Number(maxAge),
    acrValues: readAcrValues(parameters, client),
    hint: parameters.optional('login_hint', (text) => text.length <= MAX_LOGIN_HINT_LENGTH && isText(text)),
    idTokenHint: hintParameter(parameters),
    locales: listParameter(parameters, 'ui_locales'),
    display: display !== undefined && DISPLAYS.includes(display) ? display : undefined,
  };
}

/** How strong a login is to be, the best first: as the request says, or else as the client is registered. OpenID Connect Core 1.0 §3.1.2.1 */
export function readAcrValues(parameters: Parameters, client: CoreClient): readonly string[] {
  const asked = listParameter(parameters, 'acr_values');
  return asked.length > 0 ? asked : (DEFAULT_ACR_VALUES.of(client) ?? []);
}

const claimOf = ({ data }: AuthorizationRequest, name: string) =>
  (data['askedClaims'] as RequestedClaims | undefined)?.id_token?.[name];

/** Strengths without which the client wants nothing. OpenID Connect Core 1.0 §5.5.1.1 */
export function essentialAcr(request: AuthorizationRequest): readonly string[] | undefined {
  const { essential, value, values = [] } = claimOf(request, 'acr') ?? {};
  const named = [value, ...values].filter((one) => typeof one === 'string');
  return essential && named.length > 0 ? named : undefined;
}

/** The one user whom the client asks for by a claim. OpenID Connect Core 1.0 §5.5.1 */
export function essentialSubject(request: AuthorizationRequest): string | undefined {
  const value = claimOf(request, 'sub')?.value;
  return typeof value === 'string' ? value : undefined;
}

/** In words, for the description of an API. */
export const PROMPT_PARAMETERS = {
  prompt:
    'What the user is asked in any case: `login`, `consent`, `select_account`, `create`; `none`: nothing may be shown.',
  max_age: 'Seconds after which the user has to sign in anew.',
  acr_values: 'How strong the login is to be, the best first.',
  login_hint: 'Who the user probably is.',
  id_token_hint: 'An ID token of the user who is expected.',
  ui_locales: 'Languages of the user, the best first.',
  display: 'How pages are to be shown.',
};
