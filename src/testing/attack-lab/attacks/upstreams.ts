import type { AttackRuns } from '../attack.js';
import { EVIL_ORIGIN, type LabBrowser } from '../browser.js';
import { readForms } from '../forms.js';
import { readJwt, LabKey, tamperedJwt, unsignedJwt } from '../jwt.js';
import type { Lab } from '../lab.js';
import { describeResponse, Inconclusive, NotApplicable, type Outcome, resisted } from '../outcome.js';

/** Attacks on the sign-in with another provider. RFC 9700 §4.4, §4.7 */
export const UPSTREAM_ATTACKS: AttackRuns = {
  async 'upstream-other-browser'(lab) {
    const { callback } = await begin(lab);
    return signsNobodyIn(lab, lab.anonymous(), callback);
  },
  async 'upstream-replay'(lab) {
    const { browser, callback } = await begin(lab);
    const copy = browser.copy();
    await browser.open(callback);
    if (!(await isSignedIn(lab, browser))) throw new Inconclusive('the provider signed its user in to no account');
    return signsNobodyIn(lab, copy, callback);
  },
  async 'upstream-mix-up'(lab) {
    const { browser, callback } = await begin(lab);
    const url = new URL(callback);
    url.searchParams.set('iss', EVIL_ORIGIN);
    return signsNobodyIn(lab, browser, url.href);
  },
  async 'upstream-email'(lab) {
    const user = await lab.userOf();
    const { email } = user as { email?: string };
    if (email === undefined) throw new NotApplicable('the user has no `email`');
    const { browser, callback } = await begin(lab, email);
    const page = await browser.open(callback);
    if (!(await isSignedIn(lab, browser))) return resisted(`nobody was signed in: ${describeResponse(page)}`);
    const { id } = await lab.userOf(browser);
    return lab.judge(page, id === user['id']);
  },
  async 'upstream-logout-replay'(lab) {
    const token = await lab.options.upstream!.logoutToken!();
    const first = await logOut(lab, token);
    if (first.status >= 400) throw new Inconclusive(`a logout token was rejected: ${describeResponse(first)}`);
    return logOut(lab, token);
  },
  async 'upstream-logout-forged'(lab) {
    const token = await lab.options.upstream!.logoutToken!();
    const { header, claims } = readJwt(token) ?? { header: {}, claims: {} };
    const fresh = { ...claims, jti: lab.random.next() };
    const forged = [unsignedJwt(fresh, header), new LabKey('own').sign(fresh, header), tamperedJwt(token, fresh)];
    return lab.judgeAll(forged, (one) => logOut(lab, one));
  },
};

/** Begins a sign-in with the provider in a new browser, and returns the response of the provider. */
async function begin(lab: Lab, email?: string): Promise<{ browser: LabBrowser; callback: string }> {
  const upstream = lab.options.upstream!;
  const browser = lab.anonymous();
  const page = await browser.open(lab.urlOf('login'));
  const { pathname } = new URL(lab.urlOf(`upstream_${upstream.provider}`));
  const form = readForms(page.text).find(({ action }) => action.split('?')[0]!.endsWith(pathname));
  if (!form) throw new Inconclusive(`the login page has no button for \`${upstream.provider}\``);
  const { headers, status } = await browser.submit(page, form);
  if (headers.location === undefined) throw new Inconclusive(`the sign-in did not begin: status ${status}`);
  return { browser, callback: await upstream.signIn(headers.location, email) };
}

const logOut = (lab: Lab, token: string) =>
  lab.send(lab.urlOf(`upstream_${lab.options.upstream!.provider}_backchannel_logout`), {
    form: { logout_token: token },
  });

const isSignedIn = async (lab: Lab, browser: LabBrowser): Promise<boolean> =>
  !(await lab.authorize('web', {}, { browser, login: false, consent: 'stop' })).isAtLogin;

async function signsNobodyIn(lab: Lab, browser: LabBrowser, callback: string): Promise<Outcome> {
  const page = await browser.open(callback);
  return lab.judge(page, await isSignedIn(lab, browser));
}
