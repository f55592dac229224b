import {
  toOAuthError,
  respondWithError,
  type Endpoint,
  type Handler,
  type RequestRate,
} from '../../../lib/internal.js';
import type { Awaitable, Request, Response } from '../../../lib/index.js';
import { writeInteractionResponse } from '../../interaction/interaction-response.js';
import { reportUserRefused } from '../page-events.js';
import type { Fields, OwnPageContext, Page } from '../render/contexts.js';
import type { ENGLISH, MessageSet } from '../render/messages.js';
import type { PageName } from '../render/page-renderer.js';
import { preferencesOf, readerOf, SITE, type Site } from '../site.js';
import { isAnswer, type PageAnswer, PageDownload, PageProblem, PageRedirect, ReadyMadePage } from './answers.js';
import { PageCall } from './page-call.js';
import { PageThrottle } from './page-throttle.js';

/** The name of a message that a page may show: its own, or one of the ready-made pages. */
type MessageKey<Key extends string> = NoInfer<Key> | keyof typeof ENGLISH;

/** A problem of a form: the status of the page that reports it, and the reason for the event `user.refused`. */
export interface PageProblemDetails {
  status: number;
  /** If omitted, no event is emitted. */
  reason?: string;
  remedy?: string;
}

/** A page of a server, for `definePage()`. */
export interface PageDefinition<Data extends object, Key extends string = never, Subject = undefined> {
  /** The default path, such as `account/newsletter`. The option `paths` of `OAuth2Module` can change it. */
  path: string;
  /** A summary for API descriptions. Default: `A page for the user`. */
  summary?: string;
  /** The texts of the page, in addition to those of the ready-made pages. */
  messages?: MessageSet<Key>;
  /**
   * Whether only a signed-in user sees the page. Others go to the login page and return. `maxAge` is the maximum number
   * of seconds since the login; users whose login is older sign in again. Default: `false`.
   */
  signedIn?: boolean | { maxAge: number };
  /**
   * Finds the subject of the page, such as a pending login, for `binding`, `get` and `post`. If there is none, returns
   * an answer that is sent instead of the page.
   */
  subject?(call: PageCall<MessageKey<Key>>): Awaitable<Subject | PageAnswer>;
  /**
   * Returns what the forms of the page decide, as text, such as the ID of the user. The CSRF token of a form is valid
   * only for the same text. If omitted, the tokens are bound to the browser only.
   */
  binding?(subject: Subject, call: PageCall<MessageKey<Key>>): string;
  /** Returns the data to show, or another answer. */
  get(call: PageCall<MessageKey<Key>>, subject: Subject): Awaitable<Data | PageAnswer>;
  /**
   * Handles a form whose CSRF token is valid. Returns a redirect, a problem, for which the page is shown again, or data
   * to show. If omitted, the page has no form.
   */
  post?(call: PageCall<MessageKey<Key>>, subject: Subject): Awaitable<Data | PageAnswer | PageProblem>;
  /**
   * The problems of the form by the name of their message. Default: 400 for each problem, 403 for `formExpired`, 429 for
   * `throttled` and 503 for `busy`.
   */
  problems?: { readonly [Name in MessageKey<Key>]?: PageProblemDetails };
  /** The message if the CSRF token is missing or invalid. `false`: `post` verifies the form. Default: `formExpired`. */
  expired?: MessageKey<Key> | false;
  /**
   * The maximum numbers of failed forms: from one network (IPv6: a /64), and of one signed-in user. A form has failed if
   * the answer is a problem. If omitted, the forms are not limited.
   */
  throttle?: { network?: RequestRate; account?: RequestRate };
  /** Renders the data, or the name of the ready-made page that does. */
  render: PageName | ((data: Data, context: OwnPageContext<MessageKey<Key>>) => Page);
  /** Returns the paths of JavaScript modules on this server that the page loads. If omitted, no script runs. */
  scripts?(data: Data): readonly string[];
  /**
   * Whether a form of the page may lead to another site, such as a client after the login. The Content Security Policy
   * then has no `form-action`, because Chromium applies it to each redirect. Default: `false`.
   */
  leavesSite?: boolean;
}

const DEFAULT_PROBLEMS: Readonly<Record<string, PageProblemDetails>> = {
  formExpired: { status: 403 },
  throttled: { status: 429 },
  busy: { status: 503 },
};

/**
 * Defines a page of a server with `pages()`, as an endpoint for the `endpoints` of a feature. The page has the look,
 * language and Content Security Policy of the ready-made pages. Its forms have CSRF tokens and keep `return_to`, and
 * errors show the error page.
 */
export function definePage<Data extends object, Key extends string = never, Subject = undefined>(
  definition: PageDefinition<Data, Key, Subject>,
): Endpoint {
  const throttle = definition.throttle && new PageThrottle(definition.path, definition.throttle);
  const endpoint: Endpoint = {
    path: definition.path,
    methods: ['GET', 'HEAD', ...(definition.post ? ['POST'] : [])],
    uses: [SITE],
    description: { summary: definition.summary ?? 'A page for the user' },
    make(server) {
      const [id] = [...server.endpoints].find(([, one]) => one === endpoint) ?? [definition.path];
      return new PageHandler(definition as never, { id, site: server.find(SITE)!, throttle });
    },
  };
  return endpoint;
}

interface Place {
  readonly id: string;
  readonly site: Site;
  readonly throttle: PageThrottle | undefined;
}

/** Handles the requests for a page. If a request fails, it shows the error page. */
class PageHandler implements Handler {
  constructor(
    private readonly definition: PageDefinition<object, string, unknown>,
    private readonly place: Place,
  ) {}

  async handle(request: Request, response: Response): Promise<void> {
    const { id, site } = this.place;
    const call = new PageCall(site, id, request, response);
    try {
      await site.renderer.loadLanguage(preferencesOf(request, call.returnTo));
      this.write(await this.answer(call), call);
    } catch (thrown) {
      const error = toOAuthError(thrown);
      respondWithError(response, error);
      this.show(new ReadyMadePage('error', { error }, error.code), call);
      throw error;
    }
  }

  /** Finds the user and the subject of the page, and handles the request. */
  private async answer(call: PageCall): Promise<object> {
    const { definition } = this;
    const { signedIn = false } = definition;
    if (signedIn !== false) {
      const maxAge = signedIn === true ? undefined : signedIn.maxAge;
      const user = await call.findUser(maxAge);
      // A user whose login is too old must authenticate again.
      if (!user) return call.login(undefined, { reauthenticate: maxAge !== undefined });
      call.setUser(user);
    }
    const subject = await definition.subject?.(call);
    if (isAnswer(subject)) return subject;
    call.binding = definition.binding?.(subject, call);
    return call.request.method === 'POST' ? this.post(call, subject) : definition.get(call, subject);
  }

  private async post(call: PageCall, subject: unknown): Promise<object> {
    const { definition, place } = this;
    const { expired = 'formExpired' } = definition;
    if (expired !== false && !place.site.hasValidCsrfToken(call, call.binding))
      return this.showAgain(expired, call, subject);
    const post = async () => definition.post!(call, subject);
    const answer = await (place.throttle ? place.throttle.limit(call, post) : post());
    return answer instanceof PageProblem ? this.showAgain(answer.name, call, subject) : answer;
  }

  /** Shows the page again with a problem. */
  private async showAgain(name: string, call: PageCall, subject: unknown): Promise<object> {
    call.problemName = name;
    const { status, reason, remedy } = this.problem(name);
    if (reason !== undefined) {
      const { site, id } = this.place;
      const isWithoutCookie = name === (this.definition.expired ?? 'formExpired') && !site.hasBrowserCookie(call);
      reportUserRefused(site.server, {
        reason: isWithoutCookie ? NO_COOKIE : reason,
        remedy: isWithoutCookie ? undefined : remedy,
        status,
        pageRequest: call,
        endpoint: id,
      });
    }
    return this.definition.get(call, subject);
  }

  private problem(name: string): PageProblemDetails {
    const problems: Readonly<Record<string, PageProblemDetails | undefined>> = this.definition.problems ?? {};
    return problems[name] ?? DEFAULT_PROBLEMS[name] ?? { status: 400 };
  }

  private write(answer: object, call: PageCall): void {
    const { response } = call;
    if (answer instanceof PageRedirect) {
      writeInteractionResponse(response, { redirect: answer.location });
      // 303, so that the browser fetches the next page with GET after a form. RFC 9700 §4.12
      response.status = 303;
      return;
    }
    if (answer instanceof PageDownload) return writeDownload(answer, response);
    const { definition } = this;
    const { render, leavesSite, messages } = definition;
    if (answer instanceof ReadyMadePage) return this.show(answer, call);
    const problem = call.problemName;
    const status = problem === undefined ? 200 : this.problem(problem).status;
    const shown = problem === undefined ? {} : { problem };
    if (typeof render === 'string') {
      const { fields = call.fields() } = answer as { fields?: Fields };
      const data = { action: call.path(), ...shown, ...answer, fields };
      return this.show(new ReadyMadePage(render, data, status), call);
    }
    const more = { action: call.path(), fields: call.fields(), ...shown };
    const { renderer } = this.place.site;
    const scripts = definition.scripts?.(answer) ?? [];
    const settings = { status, messages, scripts, leavesSite };
    const preferences = readerOf(call.request, call.response, call.returnTo);
    const page = (context: object) => render(answer, { ...context, ...more } as OwnPageContext);
    writeInteractionResponse(response, renderer.renderOwn(page, settings, preferences));
  }

  private show({ name, data, status, headers }: ReadyMadePage, { request, response }: PageCall): void {
    this.place.site.show(name, data, { request, response }, status);
    for (const [header, value] of Object.entries(headers)) response.set(header, value);
  }
}

const NO_COOKIE =
  'browser sent no cookie with the form: open the pages at the URL of the option `issuer`, with https if the issuer has it, ' +
  'and let proxies pass the headers Cookie and Set-Cookie';

/** Writes a file. It is for one user, so no cache keeps it. RFC 6266 */
function writeDownload({ name, type, text }: PageDownload, response: Response): void {
  response.set('cache-control', 'no-store');
  response.set('content-type', `${type}; charset=utf-8`);
  response.set('content-disposition', `attachment; filename="${name}"`);
  response.set('x-content-type-options', 'nosniff');
  response.body = text;
}
