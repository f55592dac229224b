import { assertConfig } from '../../errors/configuration-error.js';
import { isScopeValue } from '../../http/syntax.js';
import type { Awaitable, User } from '../../model/model.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { accepts, isSomeOf, isText, wholeSecondsFrom } from '../../options/value-checks.js';

/** The options of `personalAccessTokens()`. */
export interface PersonalAccessTokenOptions<U extends User = User> {
  /**
   * The scopes that users can choose from. A function returns those of one user. It is called when a token is created
   * and whenever it is used, so a token loses the scopes that its user has lost.
   */
  scopes: readonly string[] | ((user: U) => Awaitable<readonly string[]>);
  /** The resources that the tokens are for, as absolute URIs. If omitted, they name none. RFC 8707 §2 */
  resource?: string | readonly string[];
  /**
   * The lifetime of a token in seconds, unless the user chooses another. Default: `7776000` (90 days), or
   * `maxLifetime` if that is less.
   */
  lifetime?: number;
  /** Maximum lifetime in seconds. Default: `31536000` (365 days). */
  maxLifetime?: number;
  /**
   * The beginning of each token, by which secret scanners find it: up to 20 letters, digits and underscores. Tokens with
   * another prefix are not accepted. Default: `pat`.
   */
  prefix?: string;
}

/** The validated options, with their defaults. */
export interface ResolvedPersonalTokens {
  scopesOf(user: User): Awaitable<readonly string[]>;
  resource: readonly string[] | undefined;
  lifetime: number;
  maxLifetime: number;
  prefix: string;
}

const NAME = '`personalAccessTokens()`';
const DAY = 86_400;
const SCOPES = 'a non-empty list of scopes without spaces, or a function';
const LIFETIME = wholeSecondsFrom(60, 36_500 * DAY);

const OPTIONS = optionTable(NAME, {
  scopes: {
    check: accepts(
      SCOPES,
      (value) => typeof value === 'function' || isSomeOf(value, (one) => isText(one) && isScopeValue(one)),
    ),
    required: SCOPES,
  },
  resource: {
    check: accepts('an absolute URI without a fragment, or a list of such URIs', (value) =>
      isSomeOf([value].flat(), isAbsoluteUri),
    ),
  },
  lifetime: { check: LIFETIME },
  maxLifetime: { check: LIFETIME, default: 365 * DAY },
  prefix: {
    check: (value, name) =>
      isText(value) && /^[A-Za-z](?:\w{0,18}[A-Za-z0-9])?$/.test(value)
        ? undefined
        : `\`${name}\` of ${NAME} must begin with a letter and have up to 20 letters, digits and underscores`,
    default: 'pat',
  },
} satisfies OptionRows<PersonalAccessTokenOptions>);

/**
 * Validates the options of `personalAccessTokens()`.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function resolvePersonalTokens(options: PersonalAccessTokenOptions): ResolvedPersonalTokens {
  const { scopes, resource, maxLifetime, prefix, ...given } = OPTIONS.read(options);
  const { lifetime = Math.min(90 * DAY, maxLifetime) } = given;
  assertConfig(lifetime <= maxLifetime, `\`lifetime\` of ${NAME} must not be above \`maxLifetime\``);
  const fixed = typeof scopes === 'function' ? undefined : Object.freeze([...scopes]);
  return {
    scopesOf: fixed ? () => fixed : (scopes as ResolvedPersonalTokens['scopesOf']),
    resource: resource === undefined ? undefined : [resource].flat(),
    lifetime,
    maxLifetime,
    prefix,
  };
}

const isAbsoluteUri = (uri: unknown) => isText(uri) && URL.canParse(uri) && !uri.includes('#');
