import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

/** A page that a browser shows. */
export interface VisitedPage {
  url: URL;
  status: number;
  html: string;
}

/** A form of a page. */
interface PageForm {
  action: URL;
  fields: Record<string, string>;
}

const MAX_REDIRECTS = 10;
const REDIRECTS: readonly number[] = [301, 302, 303];

/** A browser without scripts that follows redirects and keeps cookies. It accepts every certificate. */
export class Browser {
  private readonly cookies = new Map<string, Map<string, string>>();

  async get(url: URL | string): Promise<VisitedPage> {
    return this.visit(new URL(url), undefined, true);
  }

  /** Sends the form of a page whose action begins with a URL. */
  async submit(page: VisitedPage, action: string): Promise<VisitedPage> {
    const form = findForms(page).find((one) => one.action.href.startsWith(action));
    if (!form) throw new Error(`${page.url.href} (${page.status}) has no form for ${action}`);
    // Other sites post forms without cookies that have the attribute SameSite.
    const isSameSite = form.action.origin === page.url.origin;
    return this.visit(form.action, { fields: form.fields, origin: page.url.origin }, isSameSite);
  }

  private async visit(
    start: URL,
    form: { fields: Record<string, string>; origin: string } | undefined,
    sendsCookies: boolean,
  ): Promise<VisitedPage> {
    let url = start;
    let response = await this.send(url, form, sendsCookies);
    for (let count = 0; REDIRECTS.includes(response.statusCode!); count += 1) {
      if (count === MAX_REDIRECTS) throw new Error(`${url.href} redirects too often`);
      response.resume();
      url = new URL(response.headers.location!, url);
      response = await this.send(url, undefined, true);
    }
    return { url, status: response.statusCode!, html: await text(response) };
  }

  private async send(
    url: URL,
    form: { fields: Record<string, string>; origin: string } | undefined,
    sendsCookies: boolean,
  ): Promise<IncomingMessage> {
    const jar = this.cookies.get(url.origin) ?? new Map<string, string>();
    this.cookies.set(url.origin, jar);
    const cookie = sendsCookies ? [...jar].map((one) => one.join('=')).join('; ') : '';
    const sent = request(url, {
      method: form ? 'POST' : 'GET',
      rejectUnauthorized: false,
      headers: {
        accept: 'text/html',
        ...(cookie && { cookie }),
        ...(form && { origin: form.origin, 'content-type': 'application/x-www-form-urlencoded' }),
      },
    }).end(form && new URLSearchParams(form.fields).toString());
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') jar.delete(name!);
      else jar.set(name!, value!);
    }
    return response;
  }
}

/** Returns the forms of a page with their fields. */
function findForms({ html, url }: VisitedPage): PageForm[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, attributes, content]) => ({
    action: new URL(attributeOf(attributes!, 'action') ?? url, url),
    fields: Object.fromEntries(
      [...content!.matchAll(/<input\b([^>]*)>/g)]
        .map(([, input]) => [attributeOf(input!, 'name'), attributeOf(input!, 'value') ?? ''])
        .filter(([name]) => name !== undefined) as [string, string][],
    ),
  }));
}

function attributeOf(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value?.replaceAll(/&#(x?)([\da-f]+);|&(amp|lt|gt|quot);/gi, (_, hex: string, code: string, word: string) =>
    word
      ? { amp: '&', lt: '<', gt: '>', quot: '"' }[word.toLowerCase()]!
      : String.fromCodePoint(parseInt(code, hex ? 16 : 10)),
  );
}
