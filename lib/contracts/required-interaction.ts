import type { User } from '../model/model.js';
import type { SignIn } from '../model/sign-in.js';

/** The authentication state of the browser that sends an authorization request: who is signed in, and how. */
export interface AuthenticationState {
  user?: User | undefined;
  /** How the user signed in, if known. */
  signIn?: SignIn | undefined;
  /** The login prompt that this authorization request has already caused. If omitted, the user was not prompted yet. */
  loginPrompt?: LoginPrompt | undefined;
}

/** A login prompt that the user has returned from. It belongs to one authorization request. */
export interface LoginPrompt {
  promptedAt: Date;
  /**
   * When the user who was signed in before the prompt had authenticated. `undefined` if no user was signed in, or if
   * the time is unknown.
   */
  previousAuthTime?: Date | undefined;
}

/**
 * The interaction with the user that is required before an authorization request is decided. OpenID Connect Core
 * 1.0 §3.1.2.1
 */
export interface RequiredInteraction {
  /** Whether the user must sign in or choose an account, even if a user is already signed in. */
  login?: boolean;
  /** Whether the user must be asked for consent, even if a remembered consent covers the request. */
  consent?: boolean;
  /**
   * Whether the user must not be prompted (`prompt=none`). If interaction is required, the client receives an error
   * instead.
   */
  silent?: boolean;
  /** The properties of the login that the client requests. If omitted, it requests none. */
  requestedLogin?: RequestedLogin;
}

/** The properties of a login that a client requests. */
export interface RequestedLogin {
  /** Whether the user must authenticate again for this request. */
  reauthenticate?: boolean;
  /** Whether the user must choose an account. */
  selectAccount?: boolean;
  /** Whether the user should create an account if they have none. Initiating User Registration 1.0 §4 */
  createAccount?: boolean;
  /** The accepted authentication context classes (`acr`), in order of preference. RFC 9470 §4 */
  acr?: readonly string[];
  /**
   * The user name or other identifier that the user would probably enter at login (`login_hint`). It is not
   * trustworthy: the client, or the author of a link, sets it.
   */
  loginHint?: string;
  /** The languages for the login page, in order of preference (`ui_locales`). */
  locales?: readonly string[];
  /** How to display the login page: `page`, `popup`, `touch` or `wap`. */
  display?: string;
}
