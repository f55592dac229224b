import type { PersonalAccessTokenOptions } from '../../lib/features/index.js';
import {
  accepts,
  acceptsOptions,
  ANY,
  FLAG,
  FUNCTION,
  oneOfTexts,
  type OptionRows,
  optionsOr,
  optionTable,
  type PasswordAlgorithm,
  type SettingsOf,
  TEXT,
  wholeNumberFrom,
  wholeSecondsFrom,
} from '../../lib/internal.js';
import type { Awaitable, Falsy, User } from '../../lib/index.js';
import { REALM } from '../tenants/tenant-of.js';
import type { ProviderOption } from '../interfaces/oauth2-module-options.interface.js';

/**
 * The users of the application: a service over its own table. Users have an `id` and an `email`. The store keeps their
 * passwords, unless the service has `verifyPassword()`.
 */
export interface AccountUsers<U extends User = User> {
  /** Finds a user by ID. */
  findById(id: string): Awaitable<U | Falsy>;
  /**
   * Finds the user with this address, which is in lower case. Addresses must be unique. A user whose `email` is another
   * address, apart from case, cannot sign in with this one: a database may treat `é` and `e` as equal.
   */
  findByEmail(email: string): Awaitable<U | Falsy>;
  /** Creates a user whose address is verified. Returns a falsy value, or throws, if the address is taken. */
  create(profile: { email: string; name?: string }): Awaitable<U | Falsy>;
  /**
   * Saves a new address of a user, which is verified. Returns a falsy value, or throws, if the address is taken. If
   * omitted, users cannot change their address.
   */
  update?(user: U, changes: { email: string }): Awaitable<U | Falsy>;
  /**
   * Deletes a user. Called again if it has failed, or if the process ended in between. Required by `deletion`.
   */
  delete?(user: U): Awaitable<unknown>;
  /** Returns what the application stores of a user, for the file that users can download. It must be a JSON value. */
  export?(user: U): Awaitable<unknown>;
  /**
   * Verifies a password of the application's own column, for users whose password the store does not have yet. The
   * store keeps a correct password from then on. Called for `undefined` too, and must take as long then.
   */
  verifyPassword?(user: U | undefined, password: string): Awaitable<boolean>;
  /** Returns a value that changes with the password in the application's own column. Links then end with it. */
  credentialOf?(user: U): string | number | null | undefined;
}

/** The subject of an e-mail. */
export type MailTemplate =
  /** The link to choose a new password. */
  | 'reset'
  /** The link to finish a sign-up. */
  | 'signUp'
  /** Someone tried to sign up with the address of an account. */
  | 'exists'
  /** The link that confirms a new address. */
  | 'change'
  /** Someone tried to change an address to that of another account. */
  | 'taken'
  /** The address was changed. Sent to the old address. */
  | 'moved'
  /** The password was changed. */
  | 'password'
  /** An authenticator app, a passkey or recovery codes were added or removed. */
  | 'factors'
  /** The account is going to be deleted. The link keeps it. */
  | 'deletion'
  /** The account was deleted. */
  | 'deleted';

/** An e-mail to send. */
export interface Mail {
  /** The address of the receiver. */
  to: string;
  template: MailTemplate;
  /** The link in the e-mail. Some templates have none. Treat it as a secret. */
  link?: string;
  /** The user of the account. `undefined` for a sign-up. */
  user?: User;
  /** The language of the receiver, a tag such as `en`. */
  language: string;
  /** The default subject, in this language. */
  subject: string;
  /** The default text with the link, in this language, as plain text. */
  text: string;
}

/** Sends e-mails. */
export interface Mailer {
  /** Sends an e-mail. If it throws, the e-mail is sent again later, for up to an hour. */
  send(mail: Mail): Awaitable<unknown>;
}

/** The rules for new passwords. */
export interface PasswordOptions {
  /** Minimum number of characters, at least 8. Default: `12`. */
  minLength?: number;
  /**
   * Checks new passwords against known data leaks, by the k-anonymity API of Have I Been Pwned. Called like the global
   * `fetch`. Only the first five characters of a SHA-1 are sent. A password is accepted if the API fails. If omitted,
   * passwords are not checked there.
   */
  fetch?: (url: string, init: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>;
  /**
   * The function that hashes passwords. Stored hashes of the other one are replaced at the next login. `argon2id`
   * requires Node.js 24.7 or later in all processes. Default: `scrypt`. RFC 7914, RFC 9106
   */
  hash?: PasswordAlgorithm;
}

/** The options of passkeys. */
export interface PasskeyOptions {
  /**
   * The relying party: the host of the issuer, or a domain above it. Passkeys work on this domain and below. Changing it
   * makes the passkeys of all users useless. Default: the host of the issuer, for each tenant. Web Authentication Level 3
   * §5.1.2
   */
  rpId?: string;
}

/** The options of the deletion of accounts. */
export interface DeletionOptions {
  /**
   * Seconds between the order of the user and the deletion. Until then, the user is signed out, and keeps the account by
   * signing in or by a link. `0`: the account is deleted at once. Default: `1_209_600` (14 days).
   */
  gracePeriod?: number;
}

/** The options of `accounts()`. */
export interface AccountsOptions<U extends User = User> {
  /** The users of the application. A class that Nest instantiates, an instance, or a provider. */
  users: ProviderOption<AccountUsers<U>>;
  /** Sends e-mails. A class that Nest instantiates, an instance, or a provider. In development: `logMailer()`. */
  mail: ProviderOption<Mailer>;
  /** Passwords, and the rules for new ones. Default: `true`. */
  password?: true | PasswordOptions;
  /**
   * Whether users can set up an authenticator app and get recovery codes. It is then the second factor of `pages()`.
   * Requires the packages `otplib` and `uqr`. Default: `false`. RFC 6238
   */
  authenticator?: boolean;
  /**
   * Personal access tokens (API keys), which users create on the account page for their own scripts. If omitted, there
   * are none.
   */
  personalAccessTokens?: PersonalAccessTokenOptions<U>;
  /**
   * Whether users can add passkeys, and sign in with them instead of the password. Requires the package
   * `@simplewebauthn/server` and an issuer of https, or of localhost. Default: `false`. Web Authentication Level 3
   */
  passkeys?: boolean | PasskeyOptions;
  /** Whether users can delete their account on the account page. Requires `delete()` of `users`. Default: `false`. */
  deletion?: boolean | DeletionOptions;
  /** Whether strangers can sign up. `name`: the sign-up page asks for a name too. Default: `true`. */
  signUp?: boolean | 'name';
  /**
   * The name of the users, if servers with other users share the store. Set it at each of them: otherwise users with
   * the same ID would share their passwords and sessions. Tenants are kept apart without it. If omitted, all servers of
   * the store have the same users.
   */
  realm?: string;
}

/** Seconds of a year. */
const YEAR = 31_536_000;

const PASSWORD = optionTable('the `password` of `accounts()`', {
  minLength: { check: wholeNumberFrom(8, 100), default: 12 },
  fetch: { check: FUNCTION },
  hash: { check: oneOfTexts('scrypt', 'argon2id'), default: 'scrypt' },
} satisfies OptionRows<PasswordOptions>);

const PASSKEYS = optionTable('`passkeys` of `accounts()`', {
  rpId: { check: TEXT },
} satisfies OptionRows<PasskeyOptions>);

const DELETION = optionTable('`deletion` of `accounts()`', {
  gracePeriod: { check: wholeSecondsFrom(0, YEAR), default: 1_209_600 },
} satisfies OptionRows<DeletionOptions>);

const PROVIDER = 'a class, an instance or a provider';

const OPTIONS = optionTable('`accounts()`', {
  users: { check: ANY, required: PROVIDER },
  mail: { check: ANY, required: PROVIDER },
  password: { check: optionsOr<PasswordOptions, true>(acceptsOptions(PASSWORD), true), default: true },
  authenticator: { check: FLAG, default: false },
  personalAccessTokens: { check: ANY },
  passkeys: { check: optionsOr<PasskeyOptions, boolean>(acceptsOptions(PASSKEYS), true, false), default: false },
  deletion: { check: optionsOr<DeletionOptions, boolean>(acceptsOptions(DELETION), true, false), default: false },
  signUp: {
    check: accepts<boolean | 'name'>("true, false or 'name'", (value) =>
      [true, false, 'name'].includes(value as never),
    ),
    default: true,
  },
  realm: { check: REALM },
} satisfies OptionRows<AccountsOptions>);

/** The validated rules for passwords. */
export type PasswordRules = SettingsOf<PasswordOptions, typeof PASSWORD>;

/**
 * Validates the options of `accounts()` and applies the defaults. `passkeys` and `gracePeriod` are `undefined` if users
 * have no passkeys, or cannot delete their account.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function readAccountsOptions(options: AccountsOptions) {
  const { password, passkeys, deletion, ...settings } = OPTIONS.read(options);
  const deleting = withOptions<DeletionOptions>(deletion);
  return {
    ...settings,
    rules: PASSWORD.settle<PasswordOptions>(password === true ? {} : password),
    passkeys: withOptions<PasskeyOptions>(passkeys),
    gracePeriod: deleting && DELETION.settle<DeletionOptions>(deleting).gracePeriod,
  };
}

/** Returns the options of a part. `undefined` if the part is disabled. */
const withOptions = <T extends object>(given: boolean | T): Partial<T> | undefined =>
  given === true ? {} : given || undefined;
