import type { Awaitable } from '../../../lib/index.js';
import { LabBrowser } from './browser.js';
import { isConsent, type PageForm, readForms } from './forms.js';
import { Inconclusive } from './outcome.js';
import type { AttackLabOptions, LabUser } from './options.js';
import type { LabResponse, Wire } from './wire.js';

/** Where a browser arrived after redirects, login and consent. */
export interface Arrival {
  /** The last response. */
  page: LabResponse;
  /** The URL outside of the application to which the last response redirects. */
  left?: URL;
  /** The consent form that was not sent. */
  consent?: PageForm;
  /** Whether the browser was asked to choose an organization. */
  hasChosen?: boolean;
  /** Whether the browser has stopped at a login page. */
  isAtLogin: boolean;
}

/** How to handle the pages on the way. */
export interface VisitOptions {
  /** Whether to sign in. Default: `true`. */
  login?: boolean;
  /** Whether to allow access or to stop at the consent page. Default: `'allow'`. */
  consent?: 'allow' | 'stop';
  /** The organization to choose, if the user has several. Default: one that the page offers. */
  organization?: string;
}

const MAX_HOPS = 12;

/** Follows redirects, signs in and decides on consent pages, as an honest user does. */
export class Browsers {
  /** Whether a consent page was shown to a user before. */
  hasAsked = false;

  constructor(
    private readonly wire: Wire,
    readonly origin: string,
    private readonly options: AttackLabOptions,
    private readonly authorizePath: string,
  ) {}

  /** Returns a browser in which another user is signed in, and the page after the login. */
  async signIn({ username, password }: LabUser, loginUrl: string) {
    const browser = this.anonymous();
    return { browser, page: await browser.logIn(await browser.open(loginUrl), username, password) };
  }

  /** Returns a browser in which the user is signed in, or will sign in at the login page. */
  async newBrowser(): Promise<LabBrowser> {
    const browser = this.anonymous();
    const { signIn } = this.options;
    if (typeof signIn === 'function') await signIn(browser);
    return browser;
  }

  /** Returns a browser in which nobody is signed in, also if a function signs users in. */
  anonymous = (): LabBrowser => new LabBrowser(this.wire, this.origin);

  /** Continues after a response until the browser leaves the application or needs a decision. */
  async follow(
    browser: LabBrowser,
    first: LabResponse,
    { login = true, consent = 'allow', organization }: VisitOptions = {},
  ) {
    const arrival: Arrival = { page: first, isAtLogin: false };
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const { page } = arrival;
      const { location } = page.headers;
      if (page.status >= 300 && page.status < 400 && location !== undefined) {
        const next = URL.canParse(location, page.sent.url) ? new URL(location, page.sent.url) : undefined;
        if (next?.origin !== this.origin) return next ? Object.assign(arrival, { left: next }) : arrival;
        arrival.page = await browser.open(next.href);
        continue;
      }
      const forms = readForms(page.text);
      if (forms.some(({ password }) => password !== undefined)) {
        const { signIn } = this.options;
        if (!login || typeof signIn !== 'object' || hop === MAX_HOPS - 1)
          return Object.assign(arrival, { isAtLogin: true });
        if (browser.isSignedIn && page.status >= 400)
          throw new Inconclusive('the login page rejected the user: correct `signIn`');
        browser.isSignedIn = true;
        arrival.page = await browser.logIn(page, signIn.username, signIn.password);
        continue;
      }
      const choice = forms.find((form) => 'choice' in form.fields && !isConsent(form));
      if (choice && page.status === 200) {
        arrival.hasChosen = true;
        arrival.page = await browser.submit(page, choice, organization === undefined ? {} : { choice: organization });
        continue;
      }
      const decide = this.decisionOf(page, forms);
      if (!decide) return arrival;
      this.hasAsked = true;
      if (consent === 'stop') {
        const form = forms.find(isConsent);
        return Object.assign(arrival, form && { consent: form });
      }
      arrival.page = await decide(browser);
    }
    throw new Inconclusive(`the pages redirect in a loop at ${arrival.page.sent.url.split('?')[0]!}`);
  }

  /** Returns how to allow access on a page. `undefined` if the page is not a consent page. */
  private decisionOf(
    page: LabResponse,
    forms: PageForm[],
  ): ((browser: LabBrowser) => Awaitable<LabResponse>) | undefined {
    const { consent } = this.options;
    const isHere = page.status === 200 && new URL(page.sent.url).pathname === this.authorizePath;
    if (consent && isHere) return (browser) => consent(page, browser);
    const form = forms.find(isConsent);
    return form && ((browser) => browser.submit(page, form, { decision: 'allow' }));
  }
}
