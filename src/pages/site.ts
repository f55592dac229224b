import { authorizationDetailsOf, OPENID, senderOf, shownDetails } from '../../lib/adapter/index.js';
import type { ShownDetail } from '../../lib/features/index.js';
import type { Client, Falsy, Request, Response, ServerContext, User, RequestedLogin } from '../../lib/index.js';
import { DEFINED_SCOPES } from '../decorators/define-scopes.js';
import { writeInteractionResponse } from '../interaction/interaction-response.js';
import { BrowserCookie, formToken, isFormToken } from './browser-cookie.js';
import type { Fields } from './contexts.js';
import type { LanguagePreferences } from './language.js';
import { localPath, pathOf, withQuery } from './local-path.js';
import { OPENID_SCOPES } from './messages.js';
import type { PageData, PageName, PageRenderer } from './page-renderer.js';
import type { ResolvedPagesOptions } from './pages-options.js';
import { ModelSessions, type Sessions } from './sessions.js';

/** The pages of one server: what each of them needs. */
export class Site {
  readonly sessions: Sessions;
  /** Those that the model keeps; undefined where the host keeps them. */
  readonly modelSessions: ModelSessions | undefined;
  private rendering: PageRenderer | undefined;

  constructor(
    readonly server: ServerContext,
    readonly options: ResolvedPagesOptions,
  ) {
    const { sessions, sessionLifetime, signIn, rememberLifetime } = options;
    this.modelSessions = sessions ? undefined : new ModelSessions(server, sessionLifetime, signIn, rememberLifetime);
    this.sessions = sessions ?? this.modelSessions!;
  }

  /** Writes the pages, with what the server knows of its scopes. */
  get renderer(): PageRenderer {
    return (this.rendering ??= this.options.renderer.withScopes({
      ...(this.server.find(OPENID) && OPENID_SCOPES),
      ...this.server.find(DEFINED_SCOPES),
    }));
  }

  async findUser(request: Request): Promise<User | Falsy> {
    return this.sessions.find(request);
  }

  /** The logo of a client for a page that shows it. Empty if logos are disabled, or if the client has none to show. */
  async logoOf(client: Client): Promise<{ clientLogo?: string }> {
    const clientLogo = await this.options.clientLogos?.find(client);
    return clientLogo === undefined ? {} : { clientLogo };
  }

  /** What authorization details say, in a language of the visitor. */
  detailsFor(data: Readonly<Record<string, unknown>>, preferences: LanguagePreferences): ShownDetail[] {
    const details = authorizationDetailsOf(data['authorization_details']);
    return shownDetails(details, { server: this.server, language: this.renderer.languageOf(preferences) });
  }

  /** Where to sign in, and come back from; what a client wants of it is said there by the names that it has in its request. */
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

  /** Shows a page in a language of its visitor. */
  show<Name extends PageName>(
    name: Name,
    facts: PageData<Name>,
    { request, response }: PageRequest,
    status = 200,
  ): void {
    const returnTo = textOf(request, 'return_to');
    writeInteractionResponse(response, this.renderer.render(name, facts, preferencesOf(request, returnTo), status));
  }

  /** The hidden fields that tie a form to this browser, which is given a cookie if it has none. */
  fields(
    { request, response }: PageRequest,
    more: Readonly<Record<string, string | undefined>> = {},
    binding?: string,
  ): Fields {
    const cookie = this.cookie({ request, response });
    const fields = { ...more, form_token: formToken(cookie.value ?? cookie.issue(), binding) };
    return Object.fromEntries(
      Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }

  /** Was a form sent by a page of ours, in this browser? RFC 9700 §4.7 */
  hasValidFormToken(visit: PageRequest, binding?: string): boolean {
    return (
      this.isFromOwnOrigin(visit) && isFormToken(visit.request.body?.form_token, this.cookie(visit).value, binding)
    );
  }

  /** Did a page of this origin send it, as far as the browser says? */
  isFromOwnOrigin({ request }: PageRequest): boolean {
    return senderOf(request, this.server.issuerOf(request)) !== 'other';
  }

  private cookie({ request, response }: PageRequest): BrowserCookie {
    return new BrowserCookie(request, response, this.server);
  }
}

/** A request for a page, and its answer. */
export interface PageRequest {
  request: Request;
  response: Response;
}

const promptOf = ({ createAccount: create, reauthenticate: fresh, selectAccount: account }: RequestedLogin) =>
  create ? 'create' : fresh ? 'login' : account ? 'select_account' : undefined;

/** A parameter of a page, from its form or its URL. */
export function textOf({ body, query }: Request, name: string): string | undefined {
  const value: unknown = body?.[name] ?? query[name];
  return typeof value === 'string' ? value : undefined;
}

/** Where its visitor goes on, by a path on this server; undefined: it does not say. */
export const returnPath = (request: Request): string | undefined => localPath(textOf(request, 'return_to'));

/** How strong a client wants a login to be, the best first; undefined: it does not say. */
export function requestedAcr(request: Request): readonly string[] | undefined {
  const values = textOf(request, 'acr_values')?.split(' ', MAX_ACR_VALUES).filter(Boolean) ?? [];
  return values.length > 0 ? values : undefined;
}

const MAX_ACR_VALUES = 20;

/** What tells the language of a visitor: `ui_locales` of the authorization request they come from, or the browser. */
export function preferencesOf(request: Request, returnTo?: string): LanguagePreferences {
  const path = localPath(returnTo);
  const url = path === undefined ? undefined : new URL(path, 'http://here.invalid');
  const uiLocales = textOf(request, 'ui_locales') ?? url?.searchParams.get('ui_locales');
  return { uiLocales, acceptLanguage: request.get('accept-language') };
}
