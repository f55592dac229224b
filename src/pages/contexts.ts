import type { ShownDetail } from '../../lib/features/index.js';
import type { AuthorizedApplication, Client, OAuthError, User } from '../../lib/index.js';
import type { Html } from './html.js';
import type { ENGLISH } from './messages.js';

/** What every page knows. */
export interface PageContext {
  /** Its language, a tag such as `en`. */
  language: string;
  /** A message of its language, with values in place of `{names}`. */
  say: (message: keyof typeof ENGLISH, values?: Readonly<Record<string, unknown>>) => Html;
  /** What a scope value allows, in its language; undefined where nobody has written that. */
  describe: (scope: string) => string | undefined;
  /** A moment as people of its language write it. */
  date: (moment: Date) => string;
  nameOf: (one: User | Client) => string;
}

/** Hidden fields that a form of the page must send along. */
export type Fields = Readonly<Record<string, string>>;

/** A page that sends a form. */
export interface FormContext extends PageContext {
  /** Where its form posts to. */
  action: string;
  fields: Fields;
}

/** The login page: its form posts `username`, `password` and its `fields`. */
export interface LoginPageContext extends FormContext {
  /** As it was typed before, or as the client has it. */
  username?: string;
  /** Where an account can be made; left out: nowhere. */
  signUp?: string;
  /** Whether the check box `remember`, with the value `1`, is checked. If omitted, the page has none. */
  remember?: boolean;
  /** The URL of the application's page for forgotten passwords. If omitted, the page has no such link. */
  forgotPassword?: string;
  /** Why it is shown again. */
  problem?: 'wrong' | 'expired' | 'busy' | 'throttled';
}

/**
 * The page of the second factor: its form posts `code` and its `fields`, or `send` and these, for a code to be sent. The field of the
 * code has `autocomplete="one-time-code"`.
 */
export interface SecondFactorPageContext extends FormContext {
  /** Whose password was right, or who is signed in already. */
  user: User;
  /** Of an app or a device; sent already, and once more if they like; to be sent first; or written down, maybe with letters. */
  codes: 'app' | 'sent' | 'unsent' | 'recovery';
  /** Where a code that was written down is entered; left out: there are none, or it is this page. */
  recovery?: string;
  /** Where to sign in as somebody else. */
  accounts: string;
  /** Why it is shown again. */
  problem?: 'codeWrong' | 'codeExpired' | 'busy' | 'throttled';
}

/** The consent page: its form posts its `fields` and a `decision`, `allow` or `deny`. */
export interface ConsentPageContext extends FormContext {
  user: User;
  client: Client;
  /** The logo of the client as a `data:` URI. Set only if `clientLogos` is enabled and the client has a valid logo. */
  clientLogo?: string | undefined;
  /** What it would be allowed; a client may ask for nothing more than to know who is there. */
  scopes: readonly string[];
  redirectUri: string;
  /** The host whose page says what the client is, where its id is the URL of that: all that is known of it for sure. */
  clientHost?: string | undefined;
  /** What the access is for, as absolute URIs; empty: for nothing in particular. RFC 8707 §2 */
  resources: readonly string[];
  /** What the client would know of the user, by names, beside what its scopes stand for. OpenID Connect Core §5.5 */
  claims?: readonly string[];
  /** What it wants to do, where it says that by objects; left out: it does not. RFC 9396 §2 */
  details?: readonly ShownDetail[];
  /** Where another account may be chosen; left out: nowhere. */
  accounts?: string;
}

/** The choice of an account: a link to `returnTo` goes on with this one, its form posts its `fields` to use another. */
export interface AccountPageContext extends FormContext {
  user: User;
  returnTo: string;
}

/** Before a user signs out, with a form that posts its `fields`, and after: then nobody is signed in. */
export interface SignOutPageContext extends FormContext {
  user?: User;
  /** Where to sign in again. */
  login: string;
  /** URLs that sign the user out at clients, each to be opened in an `<iframe>`; left out: none. Front-Channel Logout §2 */
  frames?: readonly string[];
  /** Where the page leads by itself after that; left out: nowhere. */
  next?: string;
}

/** For whoever cannot be sent on: no client can be told of it, or it is a fault of this server. RFC 6749 §4.1.2.1 */
export interface ErrorPageContext extends PageContext {
  error: OAuthError;
}

/** The applications with access to an account: a form for each posts the `fields` and `client_id`. */
export interface ApplicationsPageContext extends FormContext {
  user: User;
  applications: readonly AuthorizedApplication[];
  /** Where the user goes to be at one, by its `clientId`: those that have registered an `initiate_login_uri`. OpenID Connect Core §4 */
  places?: ReadonlyMap<string, string>;
  /** Has the access of one just been ended? */
  ended: boolean;
}

/** The page where the code of a device is entered: its form posts `user_code` and its `fields`. RFC 8628 §3.3 */
export interface DevicePageContext extends FormContext {
  /** As it came in the address, or was typed before: to be compared with what the device shows. */
  userCode?: string;
  /** Why it is shown again. */
  problem?: 'wrongCode' | 'deviceExpired' | 'throttled';
}

/** Before a device gets access: its form posts its `fields` and a `decision`, `allow` or `deny`. */
export interface DeviceConsentPageContext extends FormContext {
  user: User;
  client: Client;
  /** The host whose page says what the client is, where its id is the URL of that: all that is known of it for sure. */
  clientHost?: string | undefined;
  /** The logo of the client as a `data:` URI. Set only if `clientLogos` is enabled and the client has a valid logo. */
  clientLogo?: string | undefined;
  /** What the device would be allowed. */
  scopes: readonly string[];
  /** For which resources. RFC 8707 §2 */
  resources: readonly string[];
  /** What the device would know of the user, by names, beside what its scopes stand for. OpenID Connect Core §5.5 */
  claims?: readonly string[];
  /** What it wants to do, where it says that by objects; left out: it does not. RFC 9396 §2 */
  details?: readonly ShownDetail[];
  /** What the device shows. */
  userCode: string;
  /** Where another account may be chosen. */
  accounts: string;
}

/** After that. */
export interface DeviceDonePageContext extends PageContext {
  allowed: boolean;
}

/** What stands around every page. */
export interface FrameContext extends PageContext {
  title: Html;
  main: Html;
  /** The `<style>` of the pages, to stand in the head as it is: their policy knows it by its hash. */
  style: Html;
  /** As the host calls itself. */
  site?: string | undefined;
  /** The URL of its picture. */
  logo?: string | undefined;
  /** Where its name leads. */
  home: string;
}

/** A page: what it is called, and what stands in its `<main>`. */
export interface Page {
  title: Html;
  main: Html;
}
