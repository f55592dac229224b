import { PageBrowser } from '../pages/page-browser.js';

/** A user who opens the authorization requests of a client in a browser. */
export interface AllowingUser {
  /** Signs in as alice if necessary, allows what the client requests, and returns the redirect to the client. */
  browse(url: URL): Promise<URL>;
  /** The browser of the user. */
  readonly browser: PageBrowser;
  /** The consent pages that were shown, as HTML. */
  readonly questions: string[];
}

/** Returns a user of the ready-made pages of a sample. */
export function allowingUser(server: string): AllowingUser {
  const browser = new PageBrowser(server);
  const questions: string[] = [];
  return {
    browser,
    questions,
    async browse({ pathname, search }) {
      let shown = await browser.get(pathname + search);
      if (shown.location?.startsWith('/oauth/login')) {
        shown = await browser.get((await browser.signIn(shown.location)).location!);
      }
      questions.push(shown.html);
      return new URL((await browser.send(shown, { decision: 'allow' })).location!);
    },
  };
}
