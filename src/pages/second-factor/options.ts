import { assertConfig, OPENID, signInClaims } from '../../../lib/adapter/index.js';
import { type Awaitable, capability, type ServerContext, type User } from '../../../lib/index.js';
import { isObject } from '../../configuration/is-object.js';
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

/** The options of the second factor of a login: the option `secondFactor` of `pages()`. */
export interface SecondFactorOptions {
  /** The implementation: a class that Nest instantiates, an instance, or a provider. */
  by: ProviderOption<SecondFactor>;
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
   * `false`.
   */
  recoveryCodes?: boolean;
  /** Seconds in which the code must be entered after the password. Default: `300`. */
  lifetime?: number;
}

/** The validated options of the second factor with their defaults. */
export type ResolvedSecondFactor = Readonly<
  Required<Omit<SecondFactorOptions, 'acr'>> & {
    acr: string | undefined;
    /** The `acr` of a login by password. */
    passwordAcr: string | undefined;
  }
>;

const FIVE_MINUTES = 300;

export const isSeconds = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

/**
 * Validates the options of the second factor and adds the defaults.
 * @param passwordAcr the `acr` of a login by password
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function resolveSecondFactor(
  options: SecondFactorOptions,
  passwordAcr: string | undefined,
): ResolvedSecondFactor {
  const { by, acr, amr = ['otp'], when = 'always', recoveryCodes = false, lifetime = FIVE_MINUTES } = options;
  assertConfig(
    isObject(options) && by !== undefined,
    '`secondFactor` requires `by`: a class, an instance or a provider',
  );
  assertConfig(isProof(acr, amr), '`acr` and `amr` of `secondFactor` must be a string and a list of strings');
  assertConfig(
    acr === undefined || acr !== passwordAcr,
    '`acr` of `secondFactor` must be different from the `acr` of `signIn`',
  );
  assertConfig(['always', 'wanted'].includes(when), "`when` of `secondFactor` must be 'always' or 'wanted'");
  assertConfig(isSeconds(lifetime), '`lifetime` of `secondFactor` must be an integer of seconds, greater than 0');
  return { by, acr, amr, when, recoveryCodes, lifetime, passwordAcr };
}

function isProof(acr: unknown, amr: unknown): boolean {
  try {
    signInClaims({ acr: acr as string, amr: amr as string[] });
    return true;
  } catch {
    return false;
  }
}

/** Returns the configuration errors of the second factor in combination with other features. */
export function findSecondFactorErrors(
  { acr, passwordAcr: password, when }: ResolvedSecondFactor,
  server: ServerContext,
): readonly string[] {
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
