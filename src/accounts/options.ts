import { assertConfig } from '../../lib/adapter/index.js';
import { type Awaitable, capability, type Falsy, type User } from '../../lib/index.js';
import { isObject } from '../configuration/is-object.js';
import { assertRealm } from '../tenants/tenant-of.js';
import type { ProviderOption } from '../interfaces/oauth2-module-options.interface.js';
import type { AccountTranslations } from './messages.js';

/**
 * The users of the application: a service over its own table. Users have an `id` and an `email`. The store keeps their
 * passwords, unless the service has `verifyPassword()`.
 */
export interface AccountUsers<U extends User = User> {
  /** Finds a user by ID. */
  findById(id: string): Awaitable<U | Falsy>;
  /** Finds the user with this address, which is in lower case. Addresses must be unique. */
  findByEmail(email: string): Awaitable<U | Falsy>;
  /** Creates a user whose address is verified. Returns a falsy value, or throws, if the address is taken. */
  create(profile: { email: string; name?: string }): Awaitable<U | Falsy>;
  /**
   * Saves a new address of a user, which is verified. Returns a falsy value, or throws, if the address is taken. If
   * omitted, users cannot change their address.
   */
  update?(user: U, changes: { email: string }): Awaitable<U | Falsy>;
  /**
   * Verifies a password of the application's own column, for users whose password the store does not have yet. The
   * store keeps a correct password from then on. Called for `undefined` too, and must take as long then.
   */
  verifyPassword?(user: U | undefined, password: string): Awaitable<boolean>;
  /** Returns a value that changes with the password in the application's own column. Links then end with it. */
  credentialOf?(user: U): string | number | null | undefined;
}

/** What an e-mail is about. */
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
  | 'password';

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
}

/** The options of `accounts()`. */
export interface AccountsOptions<U extends User = User> {
  /** The users of the application. A class that Nest instantiates, an instance, or a provider. */
  users: ProviderOption<AccountUsers<U>>;
  /** Sends e-mails. A class that Nest instantiates, an instance, or a provider. In development: `logMailer()`. */
  mail: ProviderOption<Mailer>;
  /** Passwords, and the rules for new ones. Default: `true`. */
  password?: true | PasswordOptions;
  /** Whether strangers can sign up. `name`: the sign-up page asks for a name too. Default: `true`. */
  signUp?: boolean | 'name';
  /**
   * The name of the users, if servers with other users share the store. Otherwise users with the same ID would share
   * their passwords. Tenants are kept apart without it. If omitted, all servers of the store have the same users.
   */
  realm?: string;
  /** The texts of the pages and e-mails in other languages. The languages of the site are those of `pages()`. */
  translations?: AccountTranslations;
}

/** The capability keys of the objects of the application. */
export const ACCOUNT_USERS = capability<AccountUsers>('users of accounts', 'accounts');
export const MAILER = capability<Mailer>('mailer of accounts', 'accounts');

/** The validated rules for passwords. */
export interface PasswordRules extends Pick<PasswordOptions, 'fetch'> {
  minLength: number;
}

const OPTIONS: readonly string[] = ['users', 'mail', 'password', 'signUp', 'realm', 'translations'];

/** Validates the options. @throws {InvalidArgumentError} If an option is invalid. */
export function resolveAccountsOptions(options: AccountsOptions): PasswordRules {
  assertConfig(isObject(options), '`accounts()` requires an object with `users` and `mail`');
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  assertConfig(
    unknown === undefined,
    `\`accounts()\` has no option \`${unknown}\`: its options are ${OPTIONS.join(', ')}`,
  );
  for (const name of ['users', 'mail'] as const) {
    assertConfig(
      options[name] !== undefined,
      `\`accounts()\` requires \`${name}\`: a class, an instance or a provider`,
    );
  }
  const { password = true, signUp = true } = options;
  assertRealm(options.realm, 'accounts()');
  assertConfig([true, false, 'name'].includes(signUp), "`signUp` of `accounts()` must be a boolean or 'name'");
  assertConfig(password === true || isObject(password), '`password` of `accounts()` must be `true` or an object');
  const { minLength = 12, fetch }: PasswordOptions = password === true ? {} : password;
  assertConfig(
    Number.isSafeInteger(minLength) && minLength >= 8 && minLength <= 100,
    '`minLength` of the `password` of `accounts()` must be an integer from 8 to 100',
  );
  assertConfig(
    fetch === undefined || typeof fetch === 'function',
    '`fetch` of the `password` of `accounts()` must be a function',
  );
  return { minLength, ...(fetch && { fetch }) };
}
