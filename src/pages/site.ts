import { detailsOf, OPENID, senderOf, shownDetails, capability } from '../../lib/internal.js';
import type { ShownDetail } from '../../lib/features/index.js';
import { Request } from '../../lib/index.js';
import type {
  AuthorizationRequest,
  Client,
  Falsy,
  Response,
  ServerContext,
  User,
  RequestedLogin,
} from '../../lib/index.js';
import { DEFINED_SCOPES } from '../decorators/define-scopes.js';
import { writeInteractionResponse } from '../interaction/interaction-response.js';
import { BrowserCookie, csrfToken, isCsrfToken } from './sessions/browser-cookie.js';
import type { Fields } from './render/contexts.js';
import type { LanguagePreferences, PageReader } from './render/language.js';
import { localPath, pathOf, withQuery } from './local-path.js';
import { OPENID_SCOPES } from './render/messages.js';
import type { PageData, PageName, PageRenderer } from './render/page-renderer.js';
import type { ResolvedPagesOptions } from './pages-options.js';
import { ModelSessions, type Sessions } from './sessions/sessions.js';

/** The state that the pages of one server share: its sessions, its renderer and the options of `pages()`. */
export class Site {
  readonly sessions: Sessions;
  /** The sessions that the model stores. `undefined` if the application stores the sessions. */
  readonly modelSessions: ModelSessions | undefined;
  private rendering: PageRenderer | undefined;
  /** The cookies that were set, by response, for pages with several forms. */
  private readonly issued = new WeakMap<Response, string>();

  constructor(
    readonly server: ServerContext,
    readonly options: ResolvedPagesOptions,
  ) {
    const { sessions, sessionLifetime, signIn, rememberLifetime } = options;
    this.modelSessions = sessions ? undefined : new ModelSessions(server, sessionLifetime, signIn, rememberLifetime);
    this.sessions = sessions ?? this.modelSessions!;
  }

  /** The renderer of the pages, with the descriptions of the server's scopes. */
  get renderer(): PageRenderer {
    return (this.rendering ??= this.options.renderer.withScopes(
      { ...this.server.find(DEFINED_SCOPES) },
      this.server.find(OPENID) && OPENID_SCOPES,
    ));
  }

  async findUser(request: Request): Promise<User | Falsy> {
    return this.sessions.find(request);
  }

  /**
   * Returns the values of the grantable scope that the user may refuse, by the option `optionalScopes`. `openid` and
   * required scopes are never optional.
   */
  optionalScopesOf({ grantableScope = '' }: Pick<AuthorizationRequest, 'grantableScope'>): readonly string[] {
    const { optionalScopes } = this.options;
    if (optionalScopes === false) return [];
    const defined = this.server.find(DEFINED_SCOPES) ?? {};
    const isRequired = (one: string) => one === 'openid' || (Object.hasOwn(defined, one) && defined[one]?.required);
    const values = grantableScope.split(' ').filter((one) => one !== '' && !isRequired(one));
    return optionalScopes === true ? values : values.filter((one) => optionalScopes.includes(one));
  }

  /** Returns the logo of a client for a page. Empty if logos are disabled or the client has no valid logo. */
  async logoOf(client: Client): Promise<{ clientLogo?: string }> {
    const clientLogo = await this.options.clientLogos?.find(client);
    return clientLogo === undefined ? {} : { clientLogo };
  }

  /** Returns the descriptions of authorization details in a language that the user prefers. */
  detailsFor(data: Readonly<Record<string, unknown>>, preferences: LanguagePreferences): ShownDetail[] {
    const details = detailsOf(data['authorization_details']);
    return shownDetails(details, { server: this.server, language: this.renderer.languageOf(preferences) });
  }

  /**
   * Returns the path of the login page with its query parameters. `return_to` is the page to return to. The
   * requirements for the login are added as `prompt`, `login_hint`, `acr_values` and `ui_locales`.
   */
  loginPath(request: Request | undefined, returnTo: string | undefined, requested: RequestedLogin = {}): string {
    const { login } = this.options;
    const query = {
      return_to: returnTo,
      prompt: promptOf(requested),
      login_hint: requested.loginHint,
      acr_values: requested.acr?.join(' '),
      ui_locales: requested.locales?.join(' '),
    };
    return login === undefined ? pathOf(this.server, 'login', { request, query }) : withQuery(login, query);
  }

  /** Returns the paths of the pages to create an account and to reset a password: of the application, or of a feature. */
  accountLinks(request: Request): Pick<ResolvedPagesOptions, 'signUp' | 'forgotPassword'> {
    const { signUp = this.pathIfAny('sign_up', request) } = this.options;
    const { forgotPassword = this.pathIfAny('forgot_password', request) } = this.options;
    return { signUp, forgotPassword };
  }

  private pathIfAny(endpoint: string, request: Request): string | undefined {
    return this.server.endpoints.has(endpoint) ? pathOf(this.server, endpoint, { request }) : undefined;
  }

  /** Writes a page in a language that the user prefers to the response. */
  show<Name extends PageName>(
    name: Name,
    data: PageData<Name>,
    { request, response }: PageRequest,
    status = 200,
  ): void {
    const returnTo = textOf(request, 'return_to');
    writeInteractionResponse(response, this.renderer.render(name, data, readerOf(request, response, returnTo), status));
  }

  /**
   * Returns the hidden fields of a form, with a CSRF token that binds it to this browser. Sets the cookie if the
   * browser has none.
   */
  fields(
    { request, response }: PageRequest,
    more: Readonly<Record<string, string | undefined>> = {},
    binding?: string,
  ): Fields {
    const fields = { ...more, csrf_token: csrfToken(this.browserId({ request, response }), binding) };
    return Object.fromEntries(
      Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }

  /** Whether a form was sent by a page of this server in this browser, with a valid CSRF token. RFC 9700 §4.7 */
  hasValidCsrfToken(pageRequest: PageRequest, binding?: string): boolean {
    return (
      this.isFromOwnOrigin(pageRequest) &&
      isCsrfToken(pageRequest.request.body?.csrf_token, this.cookie(pageRequest).value, binding)
    );
  }

  /** Whether the browser sent the cookie to which forms are bound. */
  hasBrowserCookie(pageRequest: PageRequest): boolean {
    return this.cookie(pageRequest).value !== undefined;
  }

  /** Whether a request was sent by a page of this origin, as far as the headers of the browser show. */
  isFromOwnOrigin({ request }: PageRequest): boolean {
    return senderOf(request, this.server.issuerOf(request)) !== 'other';
  }

  /** Returns the value of the cookie of this browser. Sets one cookie per response if the browser has none. */
  private browserId(pageRequest: PageRequest): string {
    const cookie = this.cookie(pageRequest);
    const known = cookie.value ?? this.issued.get(pageRequest.response);
    if (known !== undefined) return known;
    const value = cookie.issue();
    this.issued.set(pageRequest.response, value);
    return value;
  }

  private cookie({ request, response }: PageRequest): BrowserCookie {
    return new BrowserCookie(request, response, this.server);
  }
}

/** The capability key of the pages of a server. Pages of other features use it through `definePage()`. */
export const SITE = capability<Site>('pages', 'pages');

/** A request for a page and its response. */
export interface PageRequest {
  request: Request;
  response: Response;
}

const promptOf = ({ createAccount: create, reauthenticate: fresh, selectAccount: account }: RequestedLogin) =>
  create ? 'create' : fresh ? 'login' : account ? 'select_account' : undefined;

/**
 * Returns a parameter of a page: from its form or, if missing there, from its URL. `undefined` if the parameter is
 * missing or repeated.
 */
export function textOf({ body, query }: Request, name: string): string | undefined {
  const value: unknown = body?.[name] ?? query[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the path on this server in the parameter `return_to`. `undefined` if it is missing or leads elsewhere. */
export const returnPath = (request: Request): string | undefined => localPath(textOf(request, 'return_to'));

/** Returns the requested `acr` values, the preferred one first. `undefined` if the request has none. */
export function requestedAcr(request: Request): readonly string[] | undefined {
  const values = textOf(request, 'acr_values')?.split(' ', MAX_ACR_VALUES).filter(Boolean) ?? [];
  return values.length > 0 ? values : undefined;
}

const MAX_ACR_VALUES = 20;

/** Returns the language preferences of a request, and how long the user must wait, from the response. */
export const readerOf = (request: Request, response: Response, returnTo?: string): PageReader => ({
  ...preferencesOf(request, returnTo),
  retryAfter: response.get('retry-after'),
});

/**
 * Returns the language preferences of a user: the `ui_locales` of the page or the authorization request, and the
 * `Accept-Language` header of the browser.
 */
export function preferencesOf(request: Request, returnTo?: string): LanguagePreferences {
  const path = localPath(returnTo);
  const url = path === undefined ? undefined : new URL(path, 'http://here.invalid');
  const uiLocales = textOf(request, 'ui_locales') ?? url?.searchParams.get('ui_locales');
  return { uiLocales, acceptLanguage: request.get('accept-language') };
}

/**
 * Returns a request with the parameters of the login page. If the path is that of the login page itself, as in the link
 * to the sign-up page, its own parameters are used, such as `return_to` and `acr_values`.
 */
export function returnRequest(site: Site, request: Request, path: string | undefined): Request {
  const { headers, method } = request;
  const native: unknown = request['native'];
  const make = (query: Record<string, string>) => new Request({ headers, method, query, body: {}, native });
  if (path === undefined) return make({});
  const { pathname, searchParams } = new URL(path, 'http://here.invalid');
  const login = site.options.login ?? pathOf(site.server, 'login', { request });
  const isLogin = pathname === new URL(login, 'http://here.invalid').pathname;
  return make(isLogin ? Object.fromEntries(searchParams) : { return_to: path });
}
