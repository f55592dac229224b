import { AttemptCounter, type Throttle } from './attempts.js';
import { assertConfig, ClientLogos, signInClaims } from '../../lib/adapter/index.js';
import type { SafeFetchOptions } from '../../lib/features/index.js';
import type { ServerContext, SignIn } from '../../lib/index.js';
import { verifyPagesOptionNames } from './pages-option-names.js';
import { localPath } from './local-path.js';
import { type Look, PageRenderer } from './page-renderer.js';
import {
  isSeconds,
  type SecondFactorOptions,
  type ResolvedSecondFactor,
  resolveSecondFactor,
} from './second-factor/options.js';
import type { Sessions } from './sessions.js';
import { isObject } from '../configuration/is-object.js';

/** What `pages()` takes. All of it may be left out. */
export interface PagesOptions extends Look {
  /** Seconds for which somebody stays signed in. Default: 28 800, eight hours */
  sessionLifetime?: number;
  /**
   * Seconds for which a browser may continue an expired session without a password, if the user chooses "Remember me" on the login
   * page. Longer than `sessionLifetime`, such as `2_592_000` for 30 days. If omitted, the login page has no such check box.
   */
  rememberLifetime?: number;
  /** Does signing out end all that the user has granted, and their sessions elsewhere? Default: false, this browser alone */
  signOutEndsGrants?: boolean;
  /** Where it is kept who is signed in. Default: in the model, by a cookie of the pages */
  sessions?: Sessions;
  /** The host's own login page, which comes back to the local path `return_to`; it needs `sessions`. Default: one of the pages */
  login?: string;
  /** The host's own page where users make an account; it sends them to the local path `return_to` then. Default: there is none */
  signUp?: string;
  /**
   * The application's own page for users who have forgotten their password: a path on this server, or an https URL. A path
   * receives the local path `return_to`, for `OAuth2Sessions.signIn()`. If omitted, the login page has no such link.
   */
  forgotPassword?: string;
  /**
   * What of proof a login on these pages is, by a password: `{ acr: 'urn:example:pwd', amr: ['pwd'] }`. Default: nothing is said of it.
   * RFC 8176 §2
   */
  signIn?: Pick<SignIn, 'acr' | 'amr'>;
  /** What is asked for behind the password: a code of an app, or one that you send. Default: nothing is */
  secondFactor?: SecondFactorOptions;
  /**
   * Limits guesses of passwords and of codes of a second factor. Default, counted in one process: ten passwords in five minutes for one
   * user name from one network (IPv6: a /64), 200 passwords in an hour for one user name from all browsers in which that user has never
   * signed in, and five codes in fifteen minutes for one user.
   */
  throttle?: Throttle;
  /**
   * Whether consent pages show the logos of clients (`logo_uri`). The server fetches a logo, validates that it is a PNG or JPEG
   * picture of at most 64 KiB and 1024 x 1024 pixels, caches it, and embeds it in the page. An object sets how it is fetched. The
   * logo of a client that describes itself is shown only if its host is that of the client identifier or of a redirect URI.
   * Default: `false`. RFC 7591 §2, §5
   */
  clientLogos?: boolean | SafeFetchOptions;
  /** `false`: no page of the applications with access. Default: true, where the model keeps consents */
  applications?: boolean;
  /** Is there a page where users enter the codes of devices? It needs the feature `deviceAuthorization()`. Default: false */
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
  secondFactor: true,
  throttle: true,
  clientLogos: true,
  applications: true,
  devices: true,
};

/** The options with their defaults, checked once. */
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
  secondFactor: ResolvedSecondFactor | undefined;
  /** Undefined if pages show no logos of clients. */
  clientLogos: ClientLogos | undefined;
  throttle: (server: ServerContext) => Throttle;
  /** For the codes of a second factor: of those counted here, nobody can push any out who has no password. */
  codeThrottle: (server: ServerContext) => Throttle;
}

const EIGHT_HOURS = 28_800;

const PER_NETWORK = { requests: 10, per: 300 };
/** More than one network can use up in the same time, so that a single attacker cannot keep new browsers of a user out. */
const PER_USER = { requests: 200, per: 3600 };
const CODES = { requests: 5, per: 900 };

/** @throws InvalidArgumentError, with a sentence, for what cannot work */
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
  assertConfig(isSeconds(sessionLifetime), '`sessionLifetime` must be whole seconds, above 0');
  assertConfig(
    rememberLifetime === undefined || (isSeconds(rememberLifetime) && rememberLifetime > sessionLifetime),
    '`rememberLifetime` must be whole seconds, above `sessionLifetime`',
  );
  assertConfig(
    rememberLifetime === undefined || sessions === undefined,
    '`rememberLifetime` cannot be combined with `sessions`: your sessions decide how long they last',
  );
  assertConfig(localPath(home) !== undefined, '`home` must be a path on this server, such as `/`');
  assertConfig(
    login === undefined || localPath(login) !== undefined,
    '`login` must be a path on this server, such as `/login`',
  );
  assertConfig(
    signUp === undefined || localPath(signUp) !== undefined,
    '`signUp` must be a path on this server, such as `/sign-up`',
  );
  assertConfig(
    forgotPassword === undefined || localPath(forgotPassword) !== undefined || isHttps(forgotPassword),
    '`forgotPassword` must be a path on this server, such as `/forgot-password`, or an https URL',
  );
  assertConfig(
    login === undefined || sessions !== undefined,
    '`login` needs `sessions`, which know whom your login page signs in',
  );
  for (const method of ['find', 'start', 'end'] as const) {
    assertConfig(
      !sessions || typeof sessions[method] === 'function',
      `\`sessions\` must have a method \`${method}()\``,
    );
  }
  assertConfig(
    signIn === undefined || (sessions === undefined && isProof(signIn)),
    '`signIn` is `{ acr, amr }`, a text and a list of texts, and stands beside no `sessions`: these say it by `howSignedIn()`',
  );
  assertConfig(
    !options.secondFactor || sessions === undefined,
    '`secondFactor` stands beside no `sessions`: whoever signs your users in asks for it',
  );
  assertConfig(
    throttle === undefined || typeof throttle?.count === 'function',
    '`throttle` must have a method `count()`',
  );
  const { clientLogos = false } = options;
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
    secondFactor: options.secondFactor && resolveSecondFactor(options.secondFactor, signIn?.acr),
    clientLogos: clientLogos === false ? undefined : new ClientLogos(clientLogos === true ? {} : clientLogos),
    throttle: throttleOf(throttle, new AttemptCounter(PER_NETWORK, PER_USER)),
    codeThrottle: throttleOf(throttle, new AttemptCounter(CODES)),
  };
}

const isHttps = (url: unknown) => typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'https:';

function throttleOf(own: Throttle | undefined, counter: AttemptCounter): (server: ServerContext) => Throttle {
  return (server) => own ?? counter.of(server);
}

function isProof(signIn: object): boolean {
  try {
    return (
      isObject(signIn) && Object.keys(signInClaims(signIn)).length === Object.keys(signIn).length && !('sid' in signIn)
    );
  } catch {
    return false;
  }
}
