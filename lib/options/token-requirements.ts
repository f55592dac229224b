import { assertConfig, configurationError } from '../errors/configuration-error.js';
import { isScopeValue } from '../http/syntax.js';
import { BOOLEAN, type OptionCheck, type OptionCheckOf, optionCheck } from './option-checks.js';
import { isObject } from '../http/is-object.js';
import { findUnknownOption } from './unknown-option.js';

/** The required strength and age of the user's authentication. Set `acr`, `maxAge` or both. RFC 9470 §3 */
export interface StepUp {
  /**
   * Accepted authentication context class references (`acr`), in order of preference. The challenge contains them as
   * `acr_values`.
   */
  acr?: readonly string[];
  /** Maximum age of the authentication in seconds. The challenge contains it as `max_age`. */
  maxAge?: number;
}

/** Options of a single call of `authenticate`. The token must meet each of them, in addition to `scope`. */
export interface TokenRequirements {
  /**
   * Scope values of which the token must have at least one. Otherwise, the error is `insufficient_scope`. RFC 6750 §3.1
   */
  anyScope?: readonly string[];
  /**
   * Whether the token must have a user. If so, access tokens of the client credentials grant are rejected with
   * `insufficient_scope`. RFC 9700 §4.15
   */
  userRequired?: boolean;
  /** Roles of which the user must have at least one in `user.roles`. Otherwise, the error is `insufficient_scope`. */
  roles?: readonly string[];
  /**
   * Whether a personal access token is accepted, if `scope` or `anyScope` is set. Without a required scope, none is.
   * Default: `true`.
   */
  personalTokens?: boolean;
  /** How the user must have authenticated. Otherwise, the error is `insufficient_user_authentication`. RFC 9470 §3 */
  stepUp?: StepUp;
}

/** Returns a function that tests whether a value is a non-empty list of strings that all pass `is`. */
const isListOf = (is: (one: string) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && is(one));

const ACR = optionCheck<readonly string[]>('a non-empty list of names without spaces', isListOf(isScopeValue));
const MAX_AGE = optionCheck<number>(
  'a whole number of seconds above 0',
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
);

const STEP_UP: OptionCheckOf<StepUp> = (value, name, others) => {
  const example = `such as \`{ acr: ['urn:example:mfa'], maxAge: 300 }\``;
  if (!isObject(value)) return `the option \`${name}\` must be an object, ${example}`;
  const unknown = findUnknownOption(value as StepUp, { acr: true, maxAge: true }, `\`${name}\``);
  if (unknown !== undefined) return unknown;
  const { acr, maxAge } = value;
  if (acr === undefined && maxAge === undefined)
    return `the option \`${name}\` must set \`acr\`, \`maxAge\` or both, ${example}`;
  return (
    (acr === undefined ? undefined : ACR(acr, `${name}.acr`, others)) ??
    (maxAge === undefined ? undefined : MAX_AGE(maxAge, `${name}.maxAge`, others))
  );
};

const CHECKS = {
  anyScope: optionCheck('a non-empty list of scope values', isListOf(isScopeValue)),
  userRequired: BOOLEAN,
  roles: optionCheck(
    'a non-empty list of role names',
    isListOf((role) => role !== ''),
  ),
  personalTokens: BOOLEAN,
  stepUp: STEP_UP,
} as const satisfies { readonly [K in keyof TokenRequirements]-?: OptionCheckOf<NonNullable<TokenRequirements[K]>> };

const CHECK_ENTRIES: readonly (readonly [string, OptionCheck])[] = Object.entries<OptionCheck>(CHECKS);

/** The options of `authenticate()` that restrict which tokens are accepted. */
export const REQUIREMENT_NAMES: readonly string[] = ['scope', ...Object.keys(CHECKS)];

/**
 * Verifies the values of the token requirements in the options of a call of `authenticate()`.
 * @throws {InvalidArgumentError} If a requirement has an invalid value, which could otherwise accept every token.
 */
export function verifyTokenRequirements(options: object): void {
  for (const [name, kind] of CHECK_ENTRIES) {
    const value = (options as Record<string, unknown>)[name];
    const error = value === undefined ? undefined : kind(value, name, {});
    if (error !== undefined) throw configurationError(error);
  }
}

/**
 * Verifies that the options of a server do not set a requirement such as `anyScope` or `roles`. The server's own
 * endpoints, such as userinfo, would require them too.
 * @throws {InvalidArgumentError} If they do.
 */
export function rejectServerRequirements(options: object): void {
  for (const name of Object.keys(CHECKS)) {
    const example = `\`authenticate(request, response, { ${name} })\``;
    const isUnset = (options as Record<string, unknown>)[name] === undefined;
    assertConfig(isUnset, `the option \`${name}\` cannot be set for the whole server: set it in ${example}`);
  }
}
