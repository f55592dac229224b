import type { Throttle } from './login/attempts.js';

import {
  ANY,
  assertConfig,
  FETCH,
  FLAG,
  OBJECT,
  type OptionRows,
  optionsOr,
  optionTable,
  type SettingsOf,
  wholeSecondsFrom,
} from '../../lib/internal.js';
import { ClientLogos } from './render/client-logos.js';
import type { SafeFetchOptions } from '../../lib/features/index.js';
import type { SignIn } from '../../lib/index.js';
import { OPTIONAL_SCOPES, PATH_OR_URL, pathSuchAs, RENDER, SESSIONS, SIGN_IN } from './pages-option-checks.js';
import type { Organizations } from './organizations/organizations.js';
import { type Look, PageRenderer } from './render/page-renderer.js';
import { type SecondFactorOptions, type ResolvedSecondFactor, resolveSecondFactor } from './second-factor/options.js';
import type { Sessions } from './sessions/sessions.js';
import {
  type AcceptSessionsOptions,
  type ResolvedAcceptSessions,
  resolveAcceptSessions,
} from './sessions/accept-sessions-options.js';
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

const EIGHT_HOURS = 28_800;

const OWNER = '`pages()`';

/** Maximum number of seconds until a session ends. */
const MAX_LIFETIME = 2 ** 31 - 1;

const OPTIONS = optionTable(OWNER, {
  site: { check: ANY },
  logo: { check: ANY },
  home: { check: pathSuchAs('/'), default: '/' },
  css: { check: ANY },
  render: { check: RENDER },
  languages: { check: OBJECT },
  language: { check: ANY },
  scopes: { check: OBJECT },
  nameOf: { check: ANY },
  sessionLifetime: { check: wholeSecondsFrom(1, MAX_LIFETIME), default: EIGHT_HOURS },
  rememberLifetime: { check: wholeSecondsFrom(1, MAX_LIFETIME) },
  signOutEndsGrants: { check: FLAG, default: false },
  sessions: { check: SESSIONS },
  login: { check: pathSuchAs('/login') },
  signUp: { check: pathSuchAs('/sign-up') },
  forgotPassword: { check: PATH_OR_URL },
  signIn: { check: SIGN_IN },
  password: { check: FLAG, default: true },
  secondFactor: { check: ANY },
  throttle: { check: ANY },
  clientLogos: { check: optionsOr<SafeFetchOptions, boolean>(FETCH, true, false), default: false },
  optionalScopes: { check: OPTIONAL_SCOPES, default: false },
  organizations: { check: ANY },
  acceptSessions: { check: ANY },
  applications: { check: FLAG, default: true },
  account: { check: FLAG, default: true },
  devices: { check: FLAG, default: false },
} satisfies OptionRows<PagesOptions>);

/** The validated options with their defaults. */
export interface ResolvedPagesOptions extends Omit<SettingsOf<PagesOptions, typeof OPTIONS>, keyof Parts>, Parts {
  renderer: PageRenderer;
}

/** The options that have an object of their own. */
interface Parts {
  secondFactor: ResolvedSecondFactor | undefined;
  acceptSessions: ResolvedAcceptSessions;
  /** Fetches logos of clients. `undefined` if pages show none. */
  clientLogos: ClientLogos | undefined;
}

/**
 * Validates the options of `pages()` and adds the defaults.
 * @throws {InvalidArgumentError} If an option is unknown or invalid.
 */
export function resolvePagesOptions(options: PagesOptions): ResolvedPagesOptions {
  const settings = OPTIONS.read(options);
  const { sessions, login, signIn, sessionLifetime, rememberLifetime, secondFactor, clientLogos } = settings;
  assertConfig(
    rememberLifetime === undefined || rememberLifetime > sessionLifetime,
    `\`rememberLifetime\` of ${OWNER} must be greater than \`sessionLifetime\``,
  );
  assertConfig(
    rememberLifetime === undefined || sessions === undefined,
    '`rememberLifetime` cannot be combined with `sessions`, which define how long their sessions last',
  );
  assertConfig(
    login === undefined || sessions !== undefined,
    '`login` requires `sessions`: your own login page must start its own sessions',
  );
  assertConfig(
    signIn === undefined || sessions === undefined,
    '`signIn` cannot be combined with `sessions`: remove it, and return `acr` and `amr` from `howSignedIn()`',
  );
  assertConfig(
    !secondFactor || sessions === undefined,
    '`secondFactor` cannot be combined with `sessions`: your own login must ask for the second factor',
  );
  return {
    ...settings,
    renderer: new PageRenderer(options),
    secondFactor: secondFactor === undefined ? undefined : resolveSecondFactor(secondFactor, signIn?.acr),
    acceptSessions: resolveAcceptSessions(settings.acceptSessions),
    clientLogos: clientLogos === false ? undefined : new ClientLogos(clientLogos === true ? {} : clientLogos),
  };
}
