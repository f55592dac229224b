import type { InteractionResponse } from '../interfaces/oauth2-interaction.interface.js';
import type { Page, PageContext } from './contexts.js';
import { account, signOut } from './default/account.js';
import { applications } from './default/applications.js';
import { consent } from './default/consent.js';
import { device, deviceConsent, deviceDone } from './default/device.js';
import { error } from './default/error.js';
import { frame } from './default/frame.js';
import { login } from './default/login.js';
import { secondFactor } from './default/second-factor.js';
import { type Html, html } from './html.js';
import type { LanguagePreferences } from './language.js';
import type { Scopes } from './messages.js';
import type { PageFunctions } from './page-functions.js';
import { Translator, type LanguageOptions } from './translator.js';
import { type Style, styleWith } from './style.js';

/** How the pages look, and what they say. */
export interface Look extends LanguageOptions {
  /** As the host calls itself, above every page. */
  site?: string;
  /** The URL of its picture. */
  logo?: string;
  /** Where its name leads, and those go who sign in and came from nowhere. Default: `'/'` */
  home?: string;
  /** A style sheet behind that of the pages: `:root { --accent: #7a1f5d }`. */
  css?: string;
  /** Pages that the host writes itself. */
  render?: Partial<PageFunctions>;
}

/** The pages by their names. */
export type PageName = Exclude<keyof PageFunctions, 'frame'>;

/** What a page is shown with, beside what every page knows. */
export type PageData<Name extends PageName> = Omit<Parameters<PageFunctions[Name]>[0], keyof PageContext>;

/** The pages as they are, for a host that adds to one of them. */
export const defaultPages: PageFunctions = {
  login,
  secondFactor,
  consent,
  account,
  signOut,
  error,
  applications,
  device,
  deviceConsent,
  deviceDone,
  frame,
};

/**
 * Pages whose form may lead to a client, and from there anywhere: Chromium holds every redirect behind a form against
 * `form-action`. They have no script, and all they say is escaped, so where their form posts to is written here.
 */
const PAGES_WITH_REDIRECTS: readonly PageName[] = ['login', 'secondFactor', 'consent', 'signOut'];

/** Renders the pages, for a host whose login and consent are its own too. */
export class PageRenderer {
  private readonly functions: PageFunctions;
  private readonly translator: Translator;
  private readonly style: Style;

  /** @throws InvalidArgumentError for a style sheet that is none, or a language */
  constructor(private readonly look: Look = {}) {
    this.functions = { ...defaultPages, ...look.render };
    this.translator = new Translator(look);
    this.style = styleWith(look.css);
  }

  /** The same pages, with words for scopes of which the host has said nothing here. */
  withScopes(scopes: Scopes): PageRenderer {
    return new PageRenderer({ ...this.look, scopes: { ...scopes, ...this.look.scopes } });
  }

  /** The language in which a visitor is shown pages. */
  languageOf(visitor: LanguagePreferences): string {
    return this.translator.contextFor(visitor).language;
  }

  /** A page, in a language that its visitor likes, and the headers that keep it harmless. CSP */
  render<Name extends PageName>(
    name: Name,
    facts: PageData<Name>,
    visitor: LanguagePreferences = {},
    status = 200,
  ): RenderedPage {
    const said = this.translator.contextFor(visitor);
    const render = this.functions[name] as (context: PageContext) => ReturnType<PageFunctions[PageName]>;
    const frames = framesOf(facts);
    const sources = [
      // Front-Channel Logout §2
      ...(frames.length > 0 ? [`frame-src ${frames.join(' ')}`] : []),
      ...(PAGES_WITH_REDIRECTS.includes(name) ? [] : ["form-action 'self'"]),
    ];
    const { clientLogo }: EmbeddedContent = facts;
    return this.write(render({ ...said, ...facts }), said, { status, sources, clientLogo });
  }

  /**
   * Renders a page of the application in the same document, with the same style and headers. The policy has no `form-action`,
   * since a form of the page may lead back to a client.
   * @param visitor the language preferences of the user. If omitted, the default language is used.
   */
  page({ title, main, script, status = 200 }: PageContent, visitor: LanguagePreferences = {}): RenderedPage {
    const said = this.translator.contextFor(visitor);
    const page = {
      title: html`${title}`,
      main: html`<h1>${title}</h1>
        ${typeof main === 'string' ? html`<p>${main}</p>` : main}
        ${script !== undefined && html`<script src="${script}" type="module"></script>`}`,
    };
    const sources = script === undefined ? [] : ["script-src 'self'", "connect-src 'self'"];
    const shown = this.write(page, said, { status, sources });
    // With `no-referrer`, browsers send `Origin: null` with a form, and CSRF checks of the application fail.
    return { ...shown, headers: { ...shown.headers, 'Referrer-Policy': 'same-origin' } };
  }

  /** Writes the document around a page, and its headers. */
  private write({ title, main }: Page, said: PageContext, { status, sources, clientLogo }: PageSettings): RenderedPage {
    const { site, logo, home = '/' } = this.look;
    const document = this.functions.frame({ ...said, title, main, site, logo, home, style: this.style.element });
    return { html: document.source, status, headers: this.headers(said.language, sources, clientLogo) };
  }

  private headers(
    language: string,
    sources: readonly string[],
    clientLogo: string | undefined,
  ): Readonly<Record<string, string>> {
    const policy = [
      "default-src 'none'",
      `style-src ${this.style.source}`,
      `img-src ${imageSources(this.look.logo, clientLogo)}`,
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

/** The status of a page, and the directives of its Content Security Policy that other pages lack. */
interface PageSettings {
  status: number;
  sources: readonly string[];
  clientLogo?: string | undefined;
}

/** A page of the application, for `page()` and `OAuth2Sessions.page()`. */
export interface PageContent {
  /** The title and heading. Escaped. */
  title: string;
  /** What follows the heading. Text is escaped; markup is written with the tag `html`, which escapes the values in it. */
  main: string | Html;
  /** The path of a JavaScript module of this server that the page may run. If omitted, no script runs. */
  script?: string;
  /** The HTTP status. Default: `200`. */
  status?: number;
}

/** A page as an interaction answers with it. */
export type RenderedPage = Extract<InteractionResponse, { html: string }>;

/** What a page embeds besides its style. */
interface EmbeddedContent {
  frames?: readonly string[];
  clientLogo?: string | undefined;
}

/** The origins of what a page opens in frames. */
function framesOf({ frames = [] }: EmbeddedContent): readonly string[] {
  return [...new Set(frames.map((url) => new URL(url).origin))];
}

/** The sources of `img-src`. Without a logo of the site the icon is an empty `data:` URI, so that browsers request none. */
function imageSources(logo: string | undefined, clientLogo: string | undefined): string {
  if (logo === undefined) return 'data:';
  const source = URL.canParse(logo) ? new URL(logo).origin : "'self'";
  return clientLogo === undefined ? source : `${source} data:`;
}
