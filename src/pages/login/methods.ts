import type { Awaitable } from '../../../lib/index.js';
import { capability, collectedCapability, type Candidate } from '../../../lib/internal.js';
import type { Html } from '../render/html.js';
import type { LoginOption } from '../render/login-option.js';
import type { PageRequest } from '../site.js';
import type { LanguagePreferences } from '../render/language.js';

/** The request for the login page, as methods of login receive it. */
export interface LoginPageRequest extends PageRequest {
  /**
   * The path of the login page with its parameters, such as `return_to` and `acr_values`. Pass it to `finishLogin()` as
   * `returnTo`, so that the login continues where it began.
   */
  readonly loginPath: string;
  /** The language preferences of the user. */
  readonly preferences: LanguagePreferences;
}

/**
 * A method of login besides the password of the login page, such as a passkey or another identity provider. Its own
 * endpoint identifies the user and calls `finishLogin()`.
 */
export interface LoginMethod {
  /** Identifies the method, such as `passkey`. Methods are shown in the order of their IDs. */
  readonly id: string;
  /** Returns what the login page shows. `undefined`: nothing for this request. */
  show(loginPage: LoginPageRequest): Awaitable<LoginOption | undefined>;
}

/** The capability key under which features contribute methods of login. */
export const LOGIN_METHODS = collectedCapability<LoginMethod>('login methods');

/** Finds the account of a user name, and verifies its password. */
export interface PasswordVerifier {
  /** Returns the label of the user name on the login page. If omitted, it is `username` of the page's texts. */
  label?(preferences: LanguagePreferences): Html;
  /** Returns the account, before its password is verified. `undefined` for a text that cannot be a user name. */
  find(username: string): Awaitable<Candidate | undefined>;
}

/** The capability key under which a feature verifies the passwords of the login page, instead of the model. */
export const PASSWORDS = capability<PasswordVerifier>('passwords', 'accounts');
