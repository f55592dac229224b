/** A headless browser that stores cookies and does not follow redirects. */
export class PageBrowser {
  readonly cookies = new Map<string, string>();

  constructor(
    readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** Returns the name of a cookie of an application whose issuer is the URL of this browser. */
  cookieName(kind: string): string {
    return `${kind}.${new URL(this.url).port}`;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<ShownPage> {
    return this.fetch(path, { headers });
  }

  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<ShownPage> {
    return this.fetch(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  }

  /** Submits the form of a page with these values. */
  async send(
    { form }: ShownPage,
    typed: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<ShownPage> {
    return this.post(form.action, { ...form.fields, ...typed }, headers);
  }

  async signIn(path: string, username = 'alice', password = 'wonderland'): Promise<ShownPage> {
    return this.send(await this.get(path), { username, password });
  }

  private async fetch(path: string, init: RequestInit): Promise<ShownPage> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...this.headers, ...(init.headers as Record<string, string>), ...(cookie && { cookie }) };
    const response = await fetch(new URL(path, this.url), { ...init, headers, redirect: 'manual' });
    const given = response.headers.getSetCookie();
    for (const line of given) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    const html = await response.text();
    return {
      status: response.status,
      location: response.headers.get('location'),
      headers: response.headers,
      given,
      html,
      heading: headingOf(html),
      form: formOf(html),
    };
  }
}

/** A response as the browser shows it. */
export interface ShownPage {
  status: number;
  location: string | null;
  headers: Headers;
  /** The Set-Cookie headers of the response. */
  given: string[];
  html: string;
  heading: string | undefined;
  /** The first form of the page. */
  form: { action: string; fields: Record<string, string> };
}

/** The text of the first heading, or `undefined` if the page has none. */
function headingOf(html: string): string | undefined {
  const heading = /<h1>(.*?)<\/h1>/s.exec(html)?.[1];
  return heading === undefined ? undefined : unescape(heading);
}

function formOf(html: string): ShownPage['form'] {
  const [form = ''] = /<form[^]*?<\/form>/.exec(html) ?? [];
  const fields = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: unescape(/action="([^"]*)"/.exec(form)?.[1] ?? ''),
    fields: Object.fromEntries(fields.map(([, name, value]) => [name!, unescape(value!)])),
  };
}

const unescape = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
