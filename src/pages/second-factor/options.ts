import { assertConfig, configurationError, OPENID, signInClaims } from '../../../lib/adapter/index.js';
import type { Awaitable, ServerContext, User } from '../../../lib/index.js';
import { isObject } from '../../configuration/is-object.js';
import { PROVIDER_OPTION } from '../../configuration/option-kinds.js';
import type { ProviderOption } from '../../interfaces/oauth2-module-options.interface.js';

/** What the host asks for behind the password: a code of an app, one that it sends, or one that was written down. */
export interface SecondFactor<U extends User = User> {
  /** Has this user set it up? Asked once their password was right. Falsy: the password is all there is. */
  isEnrolled(user: U): Awaitable<boolean>;
  /** Is it a code of theirs, now? Only `true` is yes. Spaces are taken off. Take each code once. RFC 6238 §5.2 */
  verify(user: U, code: string): Awaitable<boolean>;
  /** Makes a code and sends it: once for each login, and when the user asks for another. Left out: codes come without. */
  send?(user: U): Awaitable<unknown>;
}

/** What `secondFactor` of `pages()` takes. */
export interface SecondFactorOptions {
  /** Who knows codes: a class that Nest instantiates, an instance, or a provider. */
  by: ProviderOption<SecondFactor>;
  /** What of proof a login with it is: a name that clients and APIs know. Default: nothing is said of it. RFC 9470 §4 */
  acr?: string;
  /** By which methods, beside those of the password and `mfa`. Default: `['otp']`. RFC 8176 §2 */
  amr?: readonly string[];
  /**
   * `'always'`: at each login of those who have it. `'wanted'`: where a client wants an `acr` for which the password does not do.
   * Default: `'always'`
   */
  when?: 'always' | 'wanted';
  /** Are there codes with letters, for those who have lost their device? They come to `verify()` too. Default: false */
  recoveryCodes?: boolean;
  /** Seconds for which a code may be entered once the password was right. Default: 300 */
  lifetime?: number;
}

/** The same with their defaults. */
export type ResolvedSecondFactor = Readonly<
  Required<Omit<SecondFactorOptions, 'acr'>> & {
    acr: string | undefined;
    /** The `acr` of a login by a password. */
    passwordAcr: string | undefined;
  }
>;

const FIVE_MINUTES = 300;

export const isSeconds = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

/**
 * @param passwordAcr the `acr` of a login by a password
 * @throws InvalidArgumentError, with a sentence, for what cannot work
 */
export function resolveSecondFactor(
  options: SecondFactorOptions,
  passwordAcr: string | undefined,
): ResolvedSecondFactor {
  const { by, acr, amr = ['otp'], when = 'always', recoveryCodes = false, lifetime = FIVE_MINUTES } = options;
  assertConfig(isObject(options) && by !== undefined, '`secondFactor` needs `by`: a class, an instance or a provider');
  const fault = PROVIDER_OPTION(by, 'secondFactor.by', {});
  if (fault !== undefined) throw configurationError(fault);
  assertConfig(isProof(acr, amr), '`acr` and `amr` of `secondFactor` must be a text and a list of texts');
  assertConfig(
    acr === undefined || acr !== passwordAcr,
    '`acr` of `secondFactor` must be another one than that of `signIn`',
  );
  assertConfig(['always', 'wanted'].includes(when), "`when` of `secondFactor` must be 'always' or 'wanted'");
  assertConfig(isSeconds(lifetime), '`lifetime` of `secondFactor` must be whole seconds, above 0');
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

/** What is wrong with it beside the other features, as sentences. */
export function findSecondFactorErrors(
  { acr, passwordAcr: password, when }: ResolvedSecondFactor,
  server: ServerContext,
): readonly string[] {
  const known = server.find(OPENID)?.acrValues;
  if (when === 'wanted' && (acr === undefined || !known)) {
    return [
      "`when: 'wanted'` of `secondFactor` needs an `acr`, and `openid()`, by which clients say that they want it",
    ];
  }
  // What is no list, `openid()` has a sentence for.
  if (acr === undefined || !Array.isArray(known)) return [];
  if (!known.includes(acr)) return ['name the `acr` of `secondFactor` among the `acrValues` of `openid()`'];
  return password !== undefined && known.indexOf(password) > known.indexOf(acr)
    ? ['`acrValues` of `openid()` has the weakest first: the `acr` of `signIn` before that of `secondFactor`']
    : [];
}
