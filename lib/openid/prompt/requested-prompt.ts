import { InvalidRequestError } from '../../errors/index.js';
import { DEFAULT_ACR_VALUES, DEFAULT_MAX_AGE } from '../client-fields.js';
import type { Parameters } from '../../http/parameters.js';
import { isText } from '../../http/syntax.js';
import type { CoreClient } from '../../model/model.js';
import type { AuthorizationRequest } from '../../contracts/response-type.js';
import type { RequestedClaims } from '../claims-parameter.js';
import { hintParameter } from '../hint-parameter.js';
import { listParameter } from '../list-parameter.js';

/**
 * The parameters of an authorization request that control the login, such as `prompt`, `max_age` and `login_hint`.
 * OpenID Connect Core 1.0 §3.1.2.1
 */
export interface RequestedPrompt {
  prompt: ReadonlySet<string>;
  /** Maximum age of the login, in seconds. `undefined` if the age does not matter. */
  maxAge: number | undefined;
  /** The requested authentication context classes, the best first. */
  acrValues: readonly string[];
  hint: string | undefined;
  idTokenHint: string | undefined;
  locales: readonly string[];
  display: string | undefined;
}

/**
 * The supported values of `prompt`. Unknown values are ignored, because extensions may define new ones. OpenID Connect
 * Core 1.0 §3.1.2.1, Errata 2
 */
const KNOWN_PROMPTS = ['none', 'login', 'consent', 'select_account'];
const DISPLAYS = ['page', 'popup', 'touch', 'wap'];

/** Maximum number of characters of the parameter `display`. */
const MAX_DISPLAY_LENGTH = 1000;
/** Maximum number of characters of the parameter `login_hint`. */
const MAX_LOGIN_HINT_LENGTH = 255;

/**
 * Reads the parameters of an authorization request that control the login, such as `prompt` and `max_age`.
 * @throws {InvalidRequestError} If a parameter is invalid, or `prompt` contradicts itself.
 */
export function readPrompt(parameters: Parameters, client: CoreClient, signUp: boolean): RequestedPrompt {
  const values = new Set(listParameter(parameters, 'prompt'));
  if (values.has('none') && values.size > 1) {
    throw new InvalidRequestError('Invalid request: `prompt=none` must not be combined with other values');
  }
  const maxAge = parameters.optional('max_age', (text) => /^\d{1,10}$/.test(text));
  const display = parameters.optional('display', (text) => text.length <= MAX_DISPLAY_LENGTH);
  const supported = signUp ? [...KNOWN_PROMPTS, 'create'] : KNOWN_PROMPTS;
  return {
    prompt: new Set([...values].filter((value) => supported.includes(value))),
    maxAge: maxAge === undefined ? DEFAULT_MAX_AGE.of(client) : Number(maxAge),
    acrValues: readAcrValues(parameters, client),
    hint: parameters.optional('login_hint', (text) => text.length <= MAX_LOGIN_HINT_LENGTH && isText(text)),
    idTokenHint: hintParameter(parameters),
    locales: listParameter(parameters, 'ui_locales'),
    display: display !== undefined && DISPLAYS.includes(display) ? display : undefined,
  };
}

/**
 * Returns the requested authentication context classes, the best first: those of the request, or else those that the
 * client has registered. OpenID Connect Core 1.0 §3.1.2.1
 */
export function readAcrValues(parameters: Parameters, client: CoreClient): readonly string[] {
  const requested = listParameter(parameters, 'acr_values');
  return requested.length > 0 ? requested : (DEFAULT_ACR_VALUES.of(client) ?? []);
}

const claimOf = ({ data }: AuthorizationRequest, name: string) =>
  (data['askedClaims'] as RequestedClaims | undefined)?.id_token?.[name];

/**
 * Returns the authentication context classes that are essential to the client, or `undefined` if none are. OpenID
 * Connect Core 1.0 §5.5.1.1
 */
export function essentialAcr(request: AuthorizationRequest): readonly string[] | undefined {
  const { essential, value, values = [] } = claimOf(request, 'acr') ?? {};
  const classes = [value, ...values].filter((one) => typeof one === 'string');
  return essential && classes.length > 0 ? classes : undefined;
}

/**
 * Returns the `sub` of the only user that the client accepts, from the parameter `claims`. OpenID Connect Core
 * 1.0 §5.5.1
 */
export function essentialSubject(request: AuthorizationRequest): string | undefined {
  const value = claimOf(request, 'sub')?.value;
  return typeof value === 'string' ? value : undefined;
}

/** The descriptions of the parameters that control the login, for API documentation. */
export const PROMPT_PARAMETERS = {
  prompt:
    'The required interactions: `login`, `consent`, `select_account`, `create`. With `none`, no page may be shown.',
  max_age: 'Maximum age of the login in seconds. After that, the user has to sign in again.',
  acr_values: 'The requested authentication context classes, the best first.',
  login_hint: 'An identifier of the user who will probably sign in.',
  id_token_hint: 'An ID token that identifies the user who must be signed in.',
  ui_locales: 'The preferred languages of pages, the best first.',
  display: 'How pages are displayed.',
};
