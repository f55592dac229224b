import type { Throttle } from './login/attempts.js';

import { assertConfig } from '../../lib/internal.js';
import { ClientLogos } from './render/client-logos.js';
import type { SafeFetchOptions } from '../../lib/features/index.js';
import type { SignIn } from '../../lib/index.js';
import { isProof, verifyPagesOptionNames, verifyPaths, verifySessions } from './pages-option-names.js';
import type { Organizations } from './organizations/organizations.js';
import { type Look, PageRenderer } from './render/page-renderer.js';
import {
  isSeconds,
  type SecondFactorOptions,
  type ResolvedSecondFactor,
  resolveSecondFactor,
} from './second-factor/options.js';
import type { Sessions } from './sessions/sessions.js';
import {
  type AcceptSessionsOptions,
  type ResolvedAcceptSessions,
  resolveAcceptSessions,
} from './sessions/accept-sessions-options.js';
import { isObject } from '../configuration/is-object.js';
import type { ProviderOption } from '../interfaces/oauth2-module-options.interface.js';

/** The options of `pages()`. All are optional. */
export interface PagesOptions extends Look {
  /** Lifetime of a login session in seconds. Default: `28_800` (eight hours). */
  sessionLifetime?: number;
  /**
   * Seconds for which a browser may continue an expired session without a password, if the user chooses "Remember me"
   * on the login page. Must be greater than `sessionLifetime`, such as `2_592_000` (30 days). If omitted, the login
   * page has no such check box.
   */
  rememberLifetime?: number;
  /**
   * Whether signing out also revokes everything that the user has granted and ends the user's sessions in other
   * browsers. Default: `false`.
   */
  signOutEndsGrants?: boolean;
  /** Stores the login sessions of users. Default: the model stores them, and the pages set a cookie. */
  sessions?: Sessions;
  /**
   * The path of your own login page. After the login it must redirect to the local path in `return_to`. Requires
   * `sessions`. Default: the login page of the pages.
   */
  login?: string;
  /**
   * The path of your own page to create an account. Afterwards it must redirect to the local path in `return_to`. If
   * omitted, the login page has no such link.
   */
  signUp?: string;
  /**
   * Your own page for forgotten passwords: a path on this server, or an https URL. A path receives the local path
   * `return_to`, for `OAuth2Sessions.signIn()`. If omitted, the login page has no such link.
   */
  forgotPassword?: string;
  /**
   * The `acr` and `amr` of a login by password: `{ acr: 'urn:example:pwd', amr: ['pwd'] }`. If omitted, none are
   * reported to clients and APIs. RFC 8176 §2
   */
  signIn?: Pick<SignIn, 'acr' | 'amr'>;
  /**
   * Whether users sign in by password on the login page. `false` if only other methods of login exist, which features
   * add under `LOGIN_METHODS`. Default: `true`.
   */
  password?: boolean;
  /**
   * The second factor that is requested after the first factor: a code of an authenticator app, or a code that you
   * send. If omitted, a password is sufficient.
   */
  secondFactor?: SecondFactorOptions;
  /**
   * Limits attempts with passwords and with codes of a second factor, instead of the default limits: ten passwords in
   * five minutes for one user from one network (IPv6: a /64), 300 in ten minutes for all users from one network, 200 in
   * an hour for one user from all browsers in which that user has never signed in, and five codes in fifteen minutes
   * for one user. Attempts that succeed do not count. A class that Nest instantiates, an instance, or a provider.
   */
  throttle?: ProviderOption<Throttle>;
  /**
   * Whether consent pages show the logos of clients (`logo_uri`). The server fetches a logo, verifies that it is a PNG
   * or JPEG picture of at most 64 KiB and 1024 x 1024 pixels, caches it, and embeds it in the page. An object sets how
   * logos are fetched. The logo of a self-registered client is shown only if its host is that of the client identifier,
   * or that of all redirect URIs. Default: `false`. RFC 7591 §2, §5
   */
  clientLogos?: boolean | SafeFetchOptions;
  /**
   * Which scopes the user may refuse on the consent page while allowing the others: `true` for all except `openid` and
   * those that `defineScopes()` marks as `required`, or a list of scopes. The client reads the granted `scope` in the
   * token response. Default: `false`, all or nothing. RFC 6749 §3.3
   */
  optionalScopes?: boolean | readonly string[];
  /**
   * The organizations of users, one of which the user chooses before consent. Tokens contain it as `org_id`. A class that
   * Nest instantiates, an instance, or a provider. If omitted, there is no such choice.
   */
  organizations?: ProviderOption<Organizations>;
  /**
   * Lets `OAuthGuard` accept the login session instead of an access token, from pages of the origin of this server:
   * `true` on all guarded routes except those with `@AcceptSession(false)`, an object with the details. Default: only
   * on routes with `@AcceptSession()`, without scopes.
   */
  acceptSessions?: boolean | AcceptSessionsOptions;
  /** Whether there is a page with the applications that have access to the account. Default: `true`. */
  applications?: boolean;
  /**
   * Whether there is a page `oauth/account` for signed-in users, with the browsers in which they are signed in, the
   * applications with access, and the sections of other features. Default: `true`.
   */
  account?: boolean;
  /**
   * Whether there is a page to enter the codes of devices. Requires the feature `deviceAuthorization()`. Default:
   * `false`.
   */
  devices?: boolean;
}

/** The names of all options of `pages()`. The compiler verifies that the list is complete. */
const PAGES: { readonly [K in keyof PagesOptions]-?: true } = {
  site: true,
  logo: true,
  home: true,
  css: true,
  render: true,
  languages: true,
  language: true,
  scopes: true,
  nameOf: true,
  sessionLifetime: true,
  rememberLifetime: true,
  signOutEndsGrants: true,
  sessions: true,
  login: true,
  signUp: true,
  forgotPassword: true,
  signIn: true,
  password: true,
  secondFactor: true,
  throttle: true,
  clientLogos: true,
  optionalScopes: true,
  organizations: true,
  acceptSessions: true,
  applications: true,
  account: true,
  devices: true,
};

/** The validated options with their defaults. */
export interface ResolvedPagesOptions {
  renderer: PageRenderer;
  sessions: Sessions | undefined;
  login: string | undefined;
  signUp: string | undefined;
  forgotPassword: string | undefined;
  home: string;
  sessionLifetime: number;
  rememberLifetime: number | undefined;
  signOutEndsGrants: boolean;
  signIn: Pick<SignIn, 'acr' | 'amr'> | undefined;
  /** Whether the login page has a form for a password. */
  password: boolean;
  secondFactor: ResolvedSecondFactor | undefined;
  optionalScopes: boolean | readonly string[];
  acceptSessions: ResolvedAcceptSessions;
  /** Fetches logos of clients. `undefined` if pages show none. */
  clientLogos: ClientLogos | undefined;
  organizations: ProviderOption<Organizations> | undefined;
  /** The limit of the application. `undefined`: the default limits. */
  throttle: ProviderOption<Throttle> | undefined;
}

const EIGHT_HOURS = 28_800;

/**
 * Validates the options of `pages()` and adds the defaults.
 * @throws {InvalidArgumentError} If an option is unknown or invalid.
 */
export function resolvePagesOptions(options: PagesOptions): ResolvedPagesOptions {
  verifyPagesOptionNames<PagesOptions>(options, PAGES);
  const {
    sessions,
    login,
    signUp,
    forgotPassword,
    signIn,
    home = '/',
    sessionLifetime = EIGHT_HOURS,
    rememberLifetime,
    throttle,
  } = options;
  assertConfig(isSeconds(sessionLifetime), '`sessionLifetime` must be an integer of seconds, greater than 0');
  assertConfig(
    rememberLifetime === undefined || (isSeconds(rememberLifetime) && rememberLifetime > sessionLifetime),
    '`rememberLifetime` must be an integer of seconds, greater than `sessionLifetime`',
  );
  assertConfig(
    rememberLifetime === undefined || sessions === undefined,
    '`rememberLifetime` cannot be combined with `sessions`, which define how long their sessions last',
  );
  verifyPaths({ home, login, signUp, forgotPassword });
  assertConfig(
    login === undefined || sessions !== undefined,
    '`login` requires `sessions`: your own login page must start its own sessions',
  );
  verifySessions(sessions);
  assertConfig(
    signIn === undefined || (sessions === undefined && isProof(signIn)),
    '`signIn` must be `{ acr, amr }`, a string and a list of strings. With `sessions`, remove it and return them from `howSignedIn()`',
  );
  assertConfig(
    !options.secondFactor || sessions === undefined,
    '`secondFactor` cannot be combined with `sessions`: your own login must ask for the second factor',
  );
  const { clientLogos = false, optionalScopes = false } = options;
  assertConfig(
    typeof clientLogos === 'boolean' || isObject(clientLogos),
    '`clientLogos` must be a boolean or an object',
  );
  const signOutEndsGrants = options.signOutEndsGrants === true;
  return {
    renderer: new PageRenderer(options),
    sessions,
    login,
    signUp,
    forgotPassword,
    home,
    sessionLifetime,
    rememberLifetime,
    signOutEndsGrants,
    signIn,
    password: options.password !== false,
    secondFactor:
      options.secondFactor === undefined ? undefined : resolveSecondFactor(options.secondFactor, signIn?.acr),
    optionalScopes,
    acceptSessions: resolveAcceptSessions(options.acceptSessions),
    clientLogos: clientLogos === false ? undefined : new ClientLogos(clientLogos === true ? {} : clientLogos),
    throttle,
    organizations: options.organizations,
  };
}
