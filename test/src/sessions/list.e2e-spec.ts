import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Sessions } from 'nest-oauth2';

import { ANY_PLATFORM, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';
import { jsonOf, openSignUp, type Setting, SESSION } from './sign-up-application.js';

describe.each(ANY_PLATFORM)('OAuth2Sessions on %s', (platform) => {
  afterEach(stopApplications);

  /** Opens two browsers of Alice and one of Carol. */
  async function open(setting: Setting = {}) {
    const opened = await openSignUp(platform, { ...setting, pages: { rememberLifetime: 2_592_000, ...setting.pages } });
    const options = { 'x-options': JSON.stringify({ amr: ['pwd'], remember: true }) };
    const [here, there, other] = [0, 1, 2].map(() => new PageBrowser(opened.url, options)) as [
      PageBrowser,
      PageBrowser,
      PageBrowser,
    ];
    await here.get('/link');
    await there.get('/link');
    await other.post('/sign-up', { username: 'carol', password: 'looking-glass' });
    const sessions = opened.app.get(OAuth2Sessions);
    const requestOf = ({ cookies }: PageBrowser) => ({
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      method: 'GET',
    });
    const userOf = async (browser: PageBrowser) => jsonOf(await browser.get('/me')).user;
    return { ...opened, sessions, here, there, other, requestOf, userOf };
  }

  it('lists sessions without secrets, and marks the current one', async () => {
    const { sessions, here, there, requestOf } = await open();
    const listed = await sessions.list(requestOf(here));
    expect(listed).toHaveLength(2);
    expect(listed.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    expect(listed[0]).toMatchObject({ userId: '1', amr: ['pwd'], authTime: expect.any(Date) });
    const current = listed.find(({ isCurrent }) => isCurrent);
    expect((await sessions.list(requestOf(there))).find(({ isCurrent }) => isCurrent)!.id).not.toBe(current!.id);
    for (const [, value] of [...here.cookies, ...there.cookies]) expect(JSON.stringify(listed)).not.toContain(value);
  });

  it('ends one session, and makes its browser forget the user', async () => {
    const { sessions, here, there, requestOf, userOf } = await open();
    const { id } = (await sessions.list(requestOf(here))).find(({ isCurrent }) => !isCurrent)!;
    expect(await sessions.end(requestOf(here), id)).toBe(true);
    expect(await sessions.end(requestOf(here), id)).toBe(false);
    expect([await userOf(here), await userOf(there)]).toEqual(['alice', null]);
    there.cookies.delete(SESSION);
    expect((await there.get('/oauth/login')).heading).toBe('Sign in');
  });

  it('ends sessions of the signed-in user only', async () => {
    const { sessions, here, other, requestOf, userOf } = await open();
    const { id } = (await sessions.list(requestOf(here))).find(({ isCurrent }) => isCurrent)!;
    expect(await sessions.end(requestOf(other), id)).toBe(false);
    expect(await sessions.end({ headers: {}, method: 'GET' }, id)).toBe(false);
    expect(await userOf(here)).toBe('alice');
  });

  it('ends the sessions in all other browsers', async () => {
    const { sessions, here, there, other, requestOf, userOf } = await open();
    expect(await sessions.endOthers(requestOf(here))).toBe(1);
    expect([await userOf(here), await userOf(there), await userOf(other)]).toEqual(['alice', null, 'carol']);
    there.cookies.delete(SESSION);
    expect((await there.get('/oauth/login')).heading).toBe('Sign in');
    here.cookies.delete(SESSION);
    expect((await here.get('/oauth/login?return_to=/a')).location).toBe('/a');
  });

  it('ends all sessions of a user who is not signed in, such as after a password reset', async () => {
    const { sessions, here, there, other, requestOf, userOf } = await open();
    const nobody = { headers: {}, method: 'GET' };
    expect([await sessions.list(nobody), await sessions.endOthers(nobody)]).toEqual([[], 0]);
    expect(await sessions.endOthers(requestOf(other), { id: '1' })).toBe(2);
    expect([await userOf(here), await userOf(there), await userOf(other)]).toEqual([null, null, 'carol']);
  });

  it('finds only a user who authenticated within `maxAge` seconds', async () => {
    const { sessions, here, requestOf } = await open();
    const { now } = Date;
    const idAfter = async (seconds: number, maxAge: number) => {
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1000);
      const user = await sessions.findUser(requestOf(here), { maxAge });
      clock.mockRestore();
      return user?.['username'];
    };
    expect([await idAfter(0, 300), await idAfter(400, 300), await idAfter(400, 500)]).toEqual([
      'alice',
      undefined,
      'alice',
    ]);
    await expect(sessions.findUser(requestOf(here), { maxAge: Number.NaN })).rejects.toThrow('`maxAge`');
  });

  it('finds no user by `maxAge` if own sessions do not report when the login happened', async () => {
    const own = { find: () => ({ id: '1' }), start: () => {}, end: () => {} };
    const { app } = await openSignUp(platform, { pages: { sessions: own } });
    const sessions = app.get(OAuth2Sessions);
    const request = { headers: {}, method: 'GET' };
    expect(await sessions.findUser(request)).toEqual({ id: '1' });
    expect(await sessions.findUser(request, { maxAge: 300 })).toBeUndefined();
  });

  it('does not list a login that waits for its second factor', async () => {
    const by = { isEnrolled: () => true, verify: () => true };
    const { sessions, browser } = await openSignUp(platform, { pages: { secondFactor: { by } } }).then((opened) => ({
      ...opened,
      sessions: opened.app.get(OAuth2Sessions),
    }));
    await browser.get('/link');
    expect(await sessions.list({ headers: {}, method: 'GET' }, { id: '1' })).toEqual([]);
  });

  it('requires the session methods of the model', async () => {
    const { sessions, store, requestOf, here } = await open();
    Object.assign(store, { listSessions: undefined });
    await expect(sessions.list(requestOf(here))).rejects.toThrow('`listSessions()`');
  });
});
