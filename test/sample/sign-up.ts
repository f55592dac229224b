import type { PageBrowser } from '../src/pages/page-browser.js';
import { waitUntil } from '../support/environment/wait-until.js';

/** Signs a user up at sample/20-accounts, by the link that its page of e-mails shows. Returns the browser. */
export async function signUpAt(browser: PageBrowser, email: string, password: string): Promise<PageBrowser> {
  await browser.send(await browser.get('/oauth/sign_up'), { email, name: 'Alice Liddell' });
  const link = await waitUntil(async () => {
    const mail = (await browser.get('/mails')).html.split('<section>').find((one) => one.includes(`To ${email}<`));
    return /href="([^"]+)"/.exec(mail ?? '')?.[1];
  });
  const done = await browser.send(await browser.get(link), { new_password: password });
  if (done.location !== '/') throw new Error(`The sign-up was refused: ${done.html}`);
  return browser;
}
