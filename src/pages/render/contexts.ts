import type { ShownDetail } from '../../../lib/features/index.js';
import type { AuthorizedApplication, Client, OAuthError, User } from '../../../lib/index.js';
import type { Organization } from '../organizations/organizations.js';
import type { Html } from './html.js';
import type { LoginOption } from './login-option.js';
import type { ENGLISH } from './messages.js';

/** The context of every page. */
export interface PageContext<Key extends string = keyof typeof ENGLISH> {
  /** The language of the page, a tag such as `en`. */
  language: string;
  /** Returns a message in the language of the page, with values for its `{placeholders}`. */
  message: (message: Key, values?: Readonly<Record<string, unknown>>) => Html;
  /** Returns the description of a scope value in the language of the page. `undefined` if it has no description. */
  describe: (scope: string) => string | undefined;
  /** Formats a date in the language of the page. */
  date: (moment: Date) => string;
  /** Returns the display name of a user or client. */
  nameOf: (one: User | Client) => string;
}

/** The hidden fields of a form. */
export type Fields = Readonly<Record<string, string>>;

/** The context of a page with a form. */
export interface FormContext extends PageContext {
  /** The URL that the form posts to. */
  action: string;
  fields: Fields;
}

/** The context of a page of `definePage()`. */
export interface OwnPageContext<Key extends string = string> extends PageContext<Key> {
  /** The URL of the page, which its forms post to. */
  action: string;
  /** The hidden fields of its forms. Every form must contain them: `hidden(fields)`. */
  fields: Fields;
  /** Why the page is shown again, as the name of a message: `problemOf(context)`. */
  problem?: Key;
}

/** The context of the login page. Its form posts `username`, `password` and its `fields`. */
export interface LoginPageContext extends FormContext {
  /** The user name to fill in: as typed before, or as suggested by the client. */
  username?: string;
  /** The label of the user name, if a feature sets it. If omitted, it is the message `username`. */
  usernameLabel?: Html;
  /** The URL of the page to create an account. If omitted, the login page has no such link. */
  signUp?: string;
  /** Whether the check box `remember`, with the value `1`, is checked. If omitted, the page has no check box. */
  remember?: boolean;
  /** The URL of the application's page for forgotten passwords. If omitted, the page has no such link. */
  forgotPassword?: string;
  /**
   * `true` if the form asks for the user name only, because the provider of a company may sign the user in. The page
   * with the password follows. A form that also posts `password` is accepted.
   */
  nameFirst?: true;
  /** `false` if users cannot sign in by password. The page then has only the `methods`. */
  password?: false;
  /** Methods of login besides the password, as links, buttons or content of their own. */
  methods?: readonly LoginOption[];
  /** The paths of the JavaScript modules of the methods. The page loads them. */
  scripts?: readonly string[];
  /** Why the page is shown again. */
  problem?: 'wrong' | 'expired' | 'busy' | 'throttled' | 'noProvider';
}

/**
 * The context of the page for the second factor. Its form posts `code` and its `fields`, or `send` and its `fields` to
 * request a code. The input for the code has `autocomplete="one-time-code"`.
 */
export interface SecondFactorPageContext extends FormContext {
  /** The user to verify: after a correct password, or already signed in. */
  user: User;
  /**
   * The kind of code: of an authenticator app, sent already (may be sent again), still to be sent, or a recovery code,
   * which may contain letters.
   */
  codes: 'app' | 'sent' | 'unsent' | 'recovery';
  /** The URL of the page for a recovery code. If omitted, there are no recovery codes, or this is that page. */
  recovery?: string;
  /** The URL of the page to use a passkey instead of a code. If omitted, the user has none. */
  passkey?: string;
  /** The URL to sign in with another account. */
  accounts: string;
  /** Why the page is shown again. */
  problem?: 'codeWrong' | 'codeExpired' | 'busy' | 'throttled';
}

/** The context of the consent page. Its form posts its `fields` and a `decision`, `allow` or `deny`. */
export interface ConsentPageContext extends FormContext {
  user: User;
  client: Client;
  /** The logo of the client as a `data:` URI. Set only if `clientLogos` is enabled and the client has a valid logo. */
  clientLogo?: string | undefined;
  /** The scope values that the user would grant. Empty if the client only asks who the user is. */
  scopes: readonly string[];
  /** The scope values that the user may refuse. The form posts the allowed ones as `granted_scope`. Default: none. */
  optionalScopes?: readonly string[];
  redirectUri: string;
  /**
   * The host of a client identifier that is a URL (client ID metadata document). It is the only verified information
   * about such a client.
   */
  clientHost?: string | undefined;
  /** The resources that the access is for, as absolute URIs. Empty if the request names none. RFC 8707 §2 */
  resources: readonly string[];
  /**
   * The names of individually requested claims about the user, in addition to those of the scopes. OpenID Connect
   * Core §5.5
   */
  claims?: readonly string[];
  /** The requested authorization details. If omitted, the client requests no details. RFC 9396 §2 */
  details?: readonly ShownDetail[];
  /** The organization that the access is for. If omitted, the access is for none. */
  organization?: Organization | undefined;
  /** The URL to choose another account. If omitted, the page has no such link. */
  accounts?: string;
}

/**
 * The context of the page to choose an organization before consent. Its form posts its `fields` and, as `choice`, the
 * `id` of an organization.
 */
export interface OrganizationPageContext extends FormContext {
  user: User;
  client: Client;
  organizations: readonly Organization[];
  /** The URL to choose another account. */
  accounts: string;
  /** Why the page is shown again. */
  problem?: 'formExpired' | 'organizationInvalid';
}

/**
 * The context of the page to choose an account. A link to `returnTo` continues with this account; the form posts its
 * `fields` to use another one.
 */
export interface AccountPageContext extends FormContext {
  user: User;
  returnTo: string;
}

/**
 * The context of the sign-out page. Before signing out it has a `user` and a form that posts its `fields`; afterwards
 * it has no `user`.
 */
export interface SignOutPageContext extends FormContext {
  user?: User;
  /** The URL to sign in again. */
  login: string;
  /**
   * URLs that sign the user out at clients, each to be opened in an `<iframe>`. If omitted, no client needs a frame.
   * Front-Channel Logout §2
   */
  frames?: readonly string[];
  /** The URL that the page continues to. If omitted, the user stays on the page. */
  next?: string;
}

/**
 * The context of the error page. It is shown if an error cannot be returned to a client, and for server errors.
 * RFC 6749 §4.1.2.1
 */
export interface ErrorPageContext extends PageContext {
  error: OAuthError;
}

/**
 * The context of the page with the applications that have access to an account. A form for each application posts the
 * `fields` and `client_id`.
 */
export interface ApplicationsPageContext extends FormContext {
  user: User;
  applications: readonly AuthorizedApplication[];
  /**
   * URLs that start a login at an application, by `clientId`. Only applications with an `initiate_login_uri` have one.
   * OpenID Connect Core §4
   */
  loginUrls?: ReadonlyMap<string, string>;
  /** Whether the access of an application was just removed. */
  accessRemoved: boolean;
  /** Whether the remembered consent of an application was just deleted, by a form with the field `ask_again`. */
  consentForgotten?: boolean;
  /** Why the page is shown again. */
  problem?: 'formExpired';
}

/** The context of the page to enter the code of a device. Its form posts `user_code` and its `fields`. RFC 8628 §3.3 */
export interface DevicePageContext extends FormContext {
  /** The code from the URL or as typed before. The user compares it with the code on the device. */
  userCode?: string;
  /** Why the page is shown again. */
  problem?: 'wrongCode' | 'deviceExpired' | 'throttled';
}

/** The context of the consent page for a device. Its form posts its `fields` and a `decision`, `allow` or `deny`. */
export interface DeviceConsentPageContext extends Omit<ConsentPageContext, 'redirectUri' | 'optionalScopes'> {
  /** The code that the device shows. */
  userCode: string;
  /** The URL to choose another account. */
  accounts: string;
}

/** The context of the page after the decision about a device. */
export interface DeviceDonePageContext extends PageContext {
  allowed: boolean;
}

/** The context of the document around every page. */
export interface FrameContext extends PageContext {
  title: Html;
  main: Html;
  /** The `<style>` element of the pages. Insert it unchanged: the Content Security Policy contains its hash. */
  style: Html;
  /** The name of the site. */
  site?: string | undefined;
  /** The URL of the logo of the site. */
  logo?: string | undefined;
  /** The URL that the site name links to. */
  home: string;
}

/** The title of a page and the content of its `<main>`. */
export interface Page {
  title: Html;
  main: Html;
}
