import { generate } from 'otplib';
import type { PageBrowser, ShownPage } from '../pages/page-browser.js';

/** A telephone with an authenticator app. */
export interface Telephone {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Returns the code of a time step: `0` is the current one. */
export const codeOf = ({ secret }: Pick<Telephone, 'secret'>, step = 0): Promise<string> =>
  generate({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * step });

/** Returns the key that the page shows for an app. */
export const keyOn = ({ html }: ShownPage): string => /<code>([A-Z2-7 ]+)<\/code>/.exec(html)![1]!.replaceAll(' ', '');

/** Returns the recovery codes that a page shows. */
export const recoveryCodesOn = ({ html }: ShownPage): string[] =>
  [...html.matchAll(/<code>([0-9a-z]{4}(?:-[0-9a-z]{4}){3})<\/code>/g)].map(([, code]) => code!);

/** Sets up an authenticator app in a browser with a fresh login. */
export async function setUpApp(browser: PageBrowser): Promise<Telephone> {
  const page = await browser.get('/oauth/authenticator');
  const secret = keyOn(page);
  const done = await browser.send(page, { code: await codeOf({ secret }) });
  if (done.status !== 200) throw new Error(`The app was refused: ${done.status} ${done.html}`);
  return { secret, recoveryCodes: recoveryCodesOn(done) };
}

/** Enters a code on the page that follows the password. */
export async function enterCode(browser: PageBrowser, code: string): Promise<ShownPage> {
  return browser.send(await browser.get('/oauth/second_factor'), { code });
}
