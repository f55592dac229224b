import {
  ANY,
  assertConfig,
  capability,
  FLAG,
  oneOfTexts,
  OPENID,
  type OptionRows,
  optionTable,
  TEXT,
  TEXTS,
  wholeSecondsFrom,
} from '../../../lib/internal.js';
import type { Awaitable, ServerContext, User } from '../../../lib/index.js';
import type { ProviderOption } from '../../interfaces/oauth2-module-options.interface.js';

/** The second factor of an application: a code of an authenticator app, a code that it sends, or a recovery code. */
export interface SecondFactor<U extends User = User> {
  /**
   * Returns whether this user has set up the second factor. Called after the first factor, usually a correct password.
   * A falsy value skips the second factor.
   */
  isEnrolled(user: U): Awaitable<boolean>;
  /**
   * Verifies a code, from which spaces have been removed. Only `true` accepts it. Accept each code only once.
   * RFC 6238 §5.2
   */
  verify(user: U, code: string): Awaitable<boolean>;
  /**
   * Creates a code and sends it to the user: after the first factor, and whenever the user requests a code. If omitted,
   * codes are not sent.
   */
  send?(user: U): Awaitable<unknown>;
}

/** The capability key of the second factor that the application passes to `pages()`. */
export const SECOND_FACTOR = capability<SecondFactor>('second factor', 'pages');

/** The capability key of the second factor of a feature, which is used if the application passes none to `pages()`. */
export const DEFAULT_SECOND_FACTOR = capability<SecondFactor>('default second factor', 'accounts');

/** The passkeys of users, which may be used instead of a code. */
export interface PasskeyFactor {
  /** Whether a user has a passkey. */
  has(user: User): Awaitable<boolean>;
}

/** The capability key of the passkeys of a feature, whose endpoint `passkey_factor` verifies them. */
export const PASSKEY_FACTOR = capability<PasskeyFactor>('passkeys', 'accounts');

/** The options of the second factor of a login: the option `secondFactor` of `pages()`. */
export interface SecondFactorOptions {
  /**
   * The implementation: a class that Nest instantiates, an instance, or a provider. If omitted, the authenticator app
   * and the recovery codes of `accounts({ authenticator: true })`.
   */
  by?: ProviderOption<SecondFactor>;
  /**
   * The `acr` of a login with the second factor. If omitted, the `acr` of the first factor, if any, is reported to
   * clients and APIs. RFC 9470 §4
   */
  acr?: string;
  /**
   * The authentication methods of the second factor, in addition to those of the first factor and `mfa`. Default:
   * `['otp']`. RFC 8176 §2
   */
  amr?: readonly string[];
  /**
   * `'always'`: users who have set it up enter a code at each login. `'wanted'`: only if a client requests an `acr`
   * that the second factor satisfies and the first factor does not. Default: `'always'`.
   */
  when?: 'always' | 'wanted';
  /**
   * Whether there is a page for recovery codes, which may contain letters. They are passed to `verify()` too. Default:
   * `false` with `by`, otherwise `true`.
   */
  recoveryCodes?: boolean;
  /** Seconds in which the code must be entered after the password. Default: `300`. */
  lifetime?: number;
}

/** The validated options of the second factor with their defaults. */
export type ResolvedSecondFactor = Readonly<
  Required<Omit<SecondFactorOptions, 'acr' | 'by'>> & {
    by: ProviderOption<SecondFactor> | undefined;
    acr: string | undefined;
    /** The `acr` of a login by password. */
    passwordAcr: string | undefined;
  }
>;

const OPTIONS = optionTable('`secondFactor` of `pages()`', {
  by: { check: ANY },
  acr: { check: TEXT },
  amr: { check: TEXTS, default: ['otp'] },
  when: { check: oneOfTexts('always', 'wanted'), default: 'always' },
  recoveryCodes: { check: FLAG },
  lifetime: { check: wholeSecondsFrom(1, 86_400), default: 300 },
} satisfies OptionRows<SecondFactorOptions>);

/**
 * Validates the options of the second factor and adds the defaults.
 * @param passwordAcr the `acr` of a login by password
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function resolveSecondFactor(
  options: SecondFactorOptions,
  passwordAcr: string | undefined,
): ResolvedSecondFactor {
  const { by, acr, ...settings } = OPTIONS.read(options);
  const { recoveryCodes = by === undefined } = settings;
  assertConfig(
    acr === undefined || acr !== passwordAcr,
    '`acr` of `secondFactor` must be different from the `acr` of `signIn`',
  );
  return { ...settings, by, acr, recoveryCodes, passwordAcr };
}

/** Returns the configuration errors of the second factor in combination with other features. */
export function findSecondFactorErrors(
  { by, acr, passwordAcr: password, when }: ResolvedSecondFactor,
  server: ServerContext,
): readonly string[] {
  const isDefault = server.find(DEFAULT_SECOND_FACTOR) !== undefined;
  if (by === undefined && !isDefault && !server.find(PASSKEY_FACTOR)) {
    return ['`secondFactor` requires `by`, or the feature `accounts({ authenticator: true })`'];
  }
  if (by !== undefined && isDefault) {
    return ['`secondFactor.by` of `pages()` replaces the `authenticator` of `accounts()`: remove one of them'];
  }
  const known = server.find(OPENID)?.acrValues;
  if (when === 'wanted' && (acr === undefined || !known)) {
    return [
      "`when: 'wanted'` of `secondFactor` requires an `acr`, and `openid({ acrValues })`, so that clients can request it",
    ];
  }
  // `openid()` reports an invalid `acrValues` itself.
  if (acr === undefined || !Array.isArray(known)) return [];
  if (!known.includes(acr)) return ['add the `acr` of `secondFactor` to `acrValues` of `openid()`'];
  return password !== undefined && known.indexOf(password) > known.indexOf(acr)
    ? ['order `acrValues` of `openid()` from weak to strong: the `acr` of `signIn` before the `acr` of `secondFactor`']
    : [];
}
