import { type PageForm, passwordForm } from './forms.js';
import { Inconclusive } from './outcome.js';
import type { LabResponse, Wire } from './wire.js';

/** A cookie as a browser stores it. */
export interface LabCookie {
  readonly name: string;
  readonly value: string;
  /** The attribute `SameSite` in lower case. Empty if it is missing. */
  readonly sameSite: string;
  readonly isSecure: boolean;
  readonly isHttpOnly: boolean;
}

/** A page request of a browser. */
export interface PageVisit {
  method?: string;
  form?: Readonly<Record<string, string>>;
  /** The site of the page that sends the request. Default: the application itself. */
  from?: 'own' | 'evil';
  headers?: Readonly<Record<string, string>>;
}

/** The host and the origin of the attacker's site. */
export const EVIL_HOST = 'evil.attack-lab.example';
export const EVIL_ORIGIN = `https://${EVIL_HOST}`;

/** A browser of a user: cookies with their attributes, the origin of requests, and forms. It follows no redirects. */
export class LabBrowser {
  readonly cookies = new Map<string, LabCookie>();
  /** Whether the login page was completed in this browser. */
  isSignedIn = false;

  /** @param origin the public origin of the application */
  constructor(
    private readonly wire: Wire,
    readonly origin: string,
  ) {}

  /** Stores a cookie, for example the session cookie of a user who signed in elsewhere. */
  setCookie(name: string, value: string): void {
    this.cookies.set(name, { name, value, sameSite: 'lax', isSecure: false, isHttpOnly: true });
  }

  /** Returns another browser with the same cookies. */
  copy(): LabBrowser {
    const other = new LabBrowser(this.wire, this.origin);
    for (const [name, cookie] of this.cookies) other.cookies.set(name, cookie);
    return other;
  }

  /** Opens a page, or sends a form to it, as a top-level navigation. */
  async open(path: string, { method, form, from = 'own', headers = {} }: PageVisit = {}): Promise<LabResponse> {
    const isPost = (method ?? (form ? 'POST' : 'GET')) === 'POST';
    const cookie = this.cookieHeader(from, isPost);
    const response = await this.wire.send(this.urlOf(path), {
      ...(method && { method }),
      ...(form && { form }),
      headers: {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        'sec-fetch-site': from === 'evil' ? 'cross-site' : isPost ? 'same-origin' : 'none',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        ...(isPost && { origin: from === 'evil' ? EVIL_ORIGIN : this.origin }),
        ...(cookie && { cookie }),
        ...headers,
      },
    });
    for (const line of response.headers['set-cookie'] ?? []) this.store(line);
    return response;
  }

  /** Sends a form of a page with these values. */
  async submit(
    page: LabResponse,
    form: PageForm,
    values: Readonly<Record<string, string>> = {},
    headers: PageVisit['headers'] = {},
  ): Promise<LabResponse> {
    const url = new URL(form.action || page.sent.url, page.sent.url).href;
    return this.open(url, { form: { ...form.fields, ...values }, headers });
  }

  /**
   * Completes a login page.
   * @throws {Inconclusive} If the page has no form with a password.
   */
  async logIn(page: LabResponse, username: string, password: string): Promise<LabResponse> {
    const form = passwordForm(page.text);
    if (!form) throw new Inconclusive(`no form with a password at ${page.sent.url.split('?')[0]!}`);
    return this.submit(page, form, { [form.text ?? 'username']: username, [form.password]: password });
  }

  /** Returns the URL at the application's origin for a path or URL. */
  urlOf = (path: string): string => (/^https?:/.test(path) ? path : this.origin + path);

  /** Returns the cookies that the browser sends with a request. By default, those of a page of the application. */
  cookieHeader(from: 'own' | 'evil' = 'own', isPost = false): string {
    const isSent = ({ sameSite }: LabCookie) =>
      from === 'own' || sameSite === 'none' || sameSite === '' || (sameSite === 'lax' && !isPost);
    const sent = [...this.cookies.values()].filter(isSent);
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  private store(line: string): void {
    const cookie = readCookie(line);
    if (!cookie) return;
    if (cookie.value === '' || /;\s*max-age=0\b/i.test(line)) this.cookies.delete(cookie.name);
    else this.cookies.set(cookie.name, cookie);
  }
}

/** Returns the cookie of a `Set-Cookie` header. */
export function readCookie(line: string): LabCookie | undefined {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const [, name, value] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
  if (name === undefined || value === undefined) return undefined;
  const lower = attributes.map((attribute) => attribute.toLowerCase());
  const sameSite = lower.find((attribute) => attribute.startsWith('samesite='))?.slice('samesite='.length) ?? '';
  return { name, value, sameSite, isSecure: lower.includes('secure'), isHttpOnly: lower.includes('httponly') };
}
