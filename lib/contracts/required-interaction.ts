import type { User } from '../model/model.js';
import type { SignIn } from '../model/sign-in.js';

/** Who is signed in where an authorization request comes from, as far as anybody is. */
export interface AuthenticationState {
  user?: User | undefined;
  /** How they signed in, as far as that is known. */
  signIn?: SignIn | undefined;
  /** Left out: nobody was sent to sign in for this request yet. */
  loginPrompt?: LoginPrompt | undefined;
}

/** That a user was sent to sign in for this very request, and came back. */
export interface LoginPrompt {
  promptedAt: Date;
  /** When whoever was signed in by then had done so; left out: nobody was, or it is not known. */
  previousAuthTime?: Date | undefined;
}

/** What must happen before an authorization request may be decided. OpenID Connect Core 1.0 §3.1.2.1 */
export interface RequiredInteraction {
  /** The user has to sign in, or to choose an account, whoever is signed in. */
  login?: boolean;
  /** The user has to be asked, whatever they agreed to before. */
  consent?: boolean;
  /** Nobody may be asked: where somebody would have to be, the client is told. */
  silent?: boolean;
  /** What is wanted of the login. */
  requestedLogin?: RequestedLogin;
}

/** What a client wants of a login. */
export interface RequestedLogin {
  /** The user proves who they are for this request, whoever is signed in. */
  reauthenticate?: boolean;
  /** The user chooses an account. */
  selectAccount?: boolean;
  /** The user makes an account, if they have none. Initiating User Registration 1.0 §4 */
  createAccount?: boolean;
  /** One of these strengths, the best first: a second factor, say. RFC 9470 §4 */
  acr?: readonly string[];
  /** Who it probably is: what they would type. It is what a client says, or anybody who made a link. */
  loginHint?: string;
  /** Languages, the best first. */
  locales?: readonly string[];
  /** `page`, `popup`, `touch` or `wap`. */
  display?: string;
}
