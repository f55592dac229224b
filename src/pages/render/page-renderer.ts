import type { InteractionResponse } from '../../interfaces/oauth2-interaction.interface.js';
import type { Page, PageContext } from './contexts.js';
import { defaultPages } from '../default/default-pages.js';
import { type EmbeddedContent, embedsImages, framesOf, imageSources } from './embedded-content.js';
import { type Html, html } from './html.js';
import type { PageReader } from './language.js';
import type { MessageSet, Scopes } from './messages.js';
import type { PageFunctions } from './page-functions.js';
import { type LanguageOptions, type ScopeMessages, Translator } from './translator.js';
import { type Style, styleWith } from './style.js';

/** The look and the texts of the pages. */
export interface Look extends LanguageOptions {
  /** The name of the site, shown above every page. */
  site?: string;
  /** The URL of the logo of the site. */
  logo?: string;
  /**
   * The path that the site name links to. Users who opened the login page directly also continue there. Default: `'/'`.
   */
  home?: string;
  /** A style sheet that is added to that of the pages: `:root { --accent: #7a1f5d }`. */
  css?: string;
  /** Functions that replace pages. */
  render?: Partial<PageFunctions>;
}

/** The name of a page, such as `login` or `consent`. */
export type PageName = Exclude<keyof PageFunctions, 'frame'>;

/** The data that `render()` takes for a page: its context without the members of `PageContext`. */
export type PageData<Name extends PageName> = Omit<Parameters<PageFunctions[Name]>[0], keyof PageContext>;

/**
 * The pages without a `form-action` directive: their forms may redirect to a client and further, and Chromium applies
 * the directive to every redirect. They run no scripts and escape all values, so `action` is always a URL of this
 * server.
 */
const PAGES_WITH_REDIRECTS: readonly PageName[] = ['login', 'secondFactor', 'organization', 'consent', 'signOut'];

/** Renders the pages. An application with its own login and consent can use it too. */
export class PageRenderer {
  private readonly functions: PageFunctions;
  private readonly translator: Translator;
  private readonly style: Style;

  /**
   * @param scopeMessages the messages that describe scope values without a description in `look`
   * @throws {InvalidArgumentError} If the style sheet contains HTML, or a language tag or text is invalid.
   */
  constructor(
    private readonly look: Look = {},
    scopeMessages: ScopeMessages = {},
  ) {
    this.functions = { ...defaultPages, ...look.render };
    this.translator = new Translator(look, scopeMessages);
    this.style = styleWith(look.css);
  }

  /**
   * Returns a renderer with further scope descriptions. Descriptions in the options take precedence.
   * @param scopeMessages the names of messages that describe the other scope values, by scope value
   */
  withScopes(scopes: Scopes, scopeMessages: ScopeMessages = {}): PageRenderer {
    return new PageRenderer({ ...this.look, scopes: { ...scopes, ...this.look.scopes } }, scopeMessages);
  }

  /** The name of the site. `undefined` if it has none. */
  get siteName(): string | undefined {
    return this.look.site;
  }

  /** Loads the texts in the language that a user prefers, if a function loads them. Call it before a page is rendered. */
  async loadLanguage(preferences: PageReader): Promise<void> {
    await this.translator.load(preferences);
  }

  /** Returns the context of a page in a language that the user prefers, with the page's own texts. */
  contextFor(preferences: PageReader, messages: MessageSet = NO_MESSAGES): PageContext<string> {
    return this.translator.contextWith(messages, preferences);
  }

  /** Returns the language of the pages for a user. */
  languageOf(preferences: PageReader): string {
    return this.translator.contextFor(preferences).language;
  }

  /**
   * Returns a message as plain text, for an e-mail.
   * @param language the language of the user, from `languageOf()`
   */
  plainText(
    messages: MessageSet,
    key: string,
    language: string,
    values: Readonly<Record<string, unknown>> = {},
  ): string {
    return this.translator.plainText(messages, key, language, values);
  }

  /** Renders a page in a language that the user prefers, with its Content Security Policy and other headers. */
  render<Name extends PageName>(
    name: Name,
    data: PageData<Name>,
    preferences: PageReader = {},
    status = 200,
  ): RenderedPage {
    const context = this.translator.contextFor(preferences);
    const render = this.functions[name] as (context: PageContext) => ReturnType<PageFunctions[PageName]>;
    const frames = framesOf(data);
    const sources = [
      // Front-Channel Logout §2
      ...(frames.length > 0 ? [`frame-src ${frames.join(' ')}`] : []),
      ...(PAGES_WITH_REDIRECTS.includes(name) ? [] : ["form-action 'self'"]),
    ];
    const { scripts = [] }: EmbeddedContent = data;
    const { title, main } = render({ ...context, ...data });
    if (scripts.length > 0) sources.push(...SCRIPT_SOURCES);
    const page = { title, main: html`${main}${[...new Set(scripts)].map(scriptOf)}` };
    return this.write(page, context, { status, sources, hasImages: embedsImages(data) });
  }

  /**
   * Renders a page of the application in the same document, with the same style and headers. The policy has no
   * `form-action`, because a form of the page may redirect to a client.
   * @param preferences the language preferences of the user. If omitted, the default language is used.
   */
  page({ title, main, script, status = 200 }: PageContent, preferences: PageReader = {}): RenderedPage {
    const context = this.translator.contextFor(preferences);
    const page = {
      title: html`${title}`,
      main: html`<h1>${title}</h1>
        ${typeof main === 'string' ? html`<p>${main}</p>` : main} ${script !== undefined && scriptOf(script)}`,
    };
    const sources = script === undefined ? [] : SCRIPT_SOURCES;
    const shown = this.write(page, context, { status, sources });
    // With `no-referrer`, browsers send `Origin: null` with a form, and CSRF checks of the application fail.
    return { ...shown, headers: { ...shown.headers, 'Referrer-Policy': 'same-origin' } };
  }

  /** Renders a page of `definePage()` in a language that the user prefers, with the headers of the ready-made pages. */
  renderOwn(
    render: (context: PageContext<string>) => Page,
    { status, messages, scripts, leavesSite = false }: OwnPageSettings,
    preferences: PageReader,
  ): RenderedPage {
    const context = this.contextFor(preferences, messages);
    const { title, main } = render(context);
    const page = { title, main: html`${main}${[...new Set(scripts)].map(scriptOf)}` };
    const sources = [...(scripts.length === 0 ? [] : SCRIPT_SOURCES), ...(leavesSite ? [] : ["form-action 'self'"])];
    return this.write(page, context, { status, sources });
  }

  /** Renders the document around a page, with its headers. */
  private write(
    { title, main }: Page,
    context: PageContext,
    { status, sources, hasImages = false }: PageSettings,
  ): RenderedPage {
    const { site, logo, home = '/' } = this.look;
    const document = this.functions.frame({ ...context, title, main, site, logo, home, style: this.style.element });
    return { html: document.source, status, headers: this.headers(context.language, sources, hasImages) };
  }

  private headers(language: string, sources: readonly string[], hasImages: boolean): Readonly<Record<string, string>> {
    const policy = [
      "default-src 'none'",
      `style-src ${this.style.source}`,
      `img-src ${imageSources(this.look.logo, hasImages)}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
      ...sources,
    ];
    return {
      'Content-Language': language,
      'Content-Security-Policy': policy.join('; '),
      Vary: 'Accept-Language',
      'X-Content-Type-Options': 'nosniff',
    };
  }
}

const NO_MESSAGES: MessageSet = { english: {}, translations: {} };

const SCRIPT_SOURCES = ["script-src 'self'", "connect-src 'self'"];

const scriptOf = (path: string) => html`<script src="${path}" type="module"></script>`;

/** The status of a page of `definePage()`, its texts, and what its Content Security Policy must allow. */
interface OwnPageSettings {
  status: number;
  messages?: MessageSet | undefined;
  scripts: readonly string[];
  leavesSite?: boolean | undefined;
}

/** The status of a page, and the additions to its Content Security Policy. */
interface PageSettings {
  status: number;
  sources: readonly string[];
  /** Whether the page contains images as `data:` URIs. */
  hasImages?: boolean;
}

/** A page of the application, for `page()` and `OAuth2Sessions.page()`. */
export interface PageContent {
  /** The title and heading, as text. */
  title: string;
  /**
   * The content below the heading. Text is escaped. Write markup with the tag `html`, which escapes the values in it.
   */
  main: string | Html;
  /** The path of a JavaScript module on this server that the page loads. If omitted, no script runs. */
  script?: string;
  /** The HTTP status. Default: `200`. */
  status?: number;
}

/** A rendered page, as an interaction returns it. */
export type RenderedPage = Extract<InteractionResponse, { html: string }>;
