import type { AttackRuns } from '../attack.js';
import type { Lab } from '../lab.js';
import { Inconclusive, NotApplicable, resisted, succeeded } from '../outcome.js';

/** Attacks on login sessions and the login page. */
export const SESSION_ATTACKS: AttackRuns = {
  async 'session-fixation'(lab) {
    const browser = await lab.newBrowser();
    await lab.authorize('web', {}, { browser, login: false });
    const planted = browser.copy();
    if (planted.cookies.size === 0) return resisted('no cookie is set before the login');
    await lab.authorize('web', {}, { browser });
    const { isAtLogin } = await lab.authorize('web', {}, { browser: planted, login: false });
    await lab.signOut(browser);
    return isAtLogin
      ? resisted('the cookies of before the login are not signed in')
      : succeeded('the cookies that were set before the login are signed in after it');
  },
  async 'session-after-sign-out'(lab) {
    const browser = await lab.newBrowser();
    await lab.authorize('web', {}, { browser });
    const stolen = browser.copy();
    const before = await lab.authorize('web', {}, { browser: stolen, login: false });
    if (before.isAtLogin) throw new Inconclusive('the user was not signed in');
    await lab.signOut(browser);
    const { isAtLogin, page } = await lab.authorize('web', {}, { browser: stolen, login: false });
    return isAtLogin
      ? resisted('the copied cookie leads to the login page')
      : succeeded('the copied cookie is still signed in', page);
  },
  async 'session-cookie'(lab) {
    const browser = await lab.newBrowser();
    await lab.authorize('web', {}, { browser });
    const cookies = [...browser.cookies.values()];
    if (cookies.length === 0) throw new NotApplicable('the login sets no cookie');
    const isTls = lab.target.origin.startsWith('https:');
    const problems = cookies.flatMap(({ name, isHttpOnly, isSecure, sameSite }) => [
      ...(isHttpOnly ? [] : [`${name} without HttpOnly`]),
      ...(/^(?:lax|strict)$/.test(sameSite) ? [] : [`${name} without SameSite=Lax`]),
      ...(isSecure || !isTls ? [] : [`${name} without Secure`]),
    ]);
    await lab.signOut(browser);
    return problems.length > 0
      ? succeeded(problems.join(', '))
      : resisted(`${cookies.length} cookies have all attributes`);
  },
  async 'login-enumeration'(lab) {
    const { username } = lab.user;
    const other = lab.random.next(username.length).padEnd(username.length, 'x');
    const names = [username, other];
    const [known, unknown] = [await tryPassword(lab, username), await tryPassword(lab, other)];
    const isSame = known.status === unknown.status && shown(known.text, names) === shown(unknown.text, names);
    return isSame
      ? resisted(`both get the same page with status ${known.status}`)
      : succeeded(
          `status ${known.status} for a known and ${unknown.status} for an unknown user, or another page`,
          unknown,
        );
  },
  async 'login-guessing'(lab) {
    const name = `attack-lab-${lab.random.next(10)}`;
    for (let guess = 1; guess <= MAX_GUESSES; guess += 1) {
      const { status } = await tryPassword(lab, name);
      if (status === 429 || status === 503) return resisted(`guess ${guess} got status ${status}`);
      if (status < 400) throw new Inconclusive(`a wrong password got status ${status}`);
    }
    return succeeded(`${MAX_GUESSES} wrong passwords for one name were verified without a limit`);
  },
  async 'prompt-none'(lab) {
    const where = { browser: lab.anonymous(), login: false };
    const { code, page, params } = await lab.authorize('web', { prompt: 'none' }, where);
    return code === undefined
      ? resisted(`${page.status} ${params.get('error') ?? ''}`)
      : succeeded('a code was issued without a session', page);
  },
  async 'login-forced'(lab) {
    await lab.grant('web');
    const { code, page } = await lab.authorize('web', { prompt: 'login' }, { login: false });
    return code === undefined
      ? resisted(`the login page is shown: ${page.status}`)
      : succeeded('a code was issued without a new login', page);
  },
};

/** Returns the text of a page without the values of its fields, the user names, and random values such as challenges. */
const shown = (text: string, names: readonly string[]) =>
  names
    .reduce((shorter, name) => shorter.replaceAll(name, '<name>'), text)
    .replaceAll(/value="[^"]*"/g, '')
    .replaceAll(RANDOM, '');

/** A random value of at least 128 bits in base64url or hexadecimal digits. */
const RANDOM = /[\w-]{22,}/g;

/** A guess more than the limit of `pages()` for one name. Other limits may be a little higher. */
const MAX_GUESSES = 30;

const tryPassword = async (lab: Lab, username: string) =>
  (await lab.signIn({ username, password: `wrong-${lab.random.next(12)}` })).page;
