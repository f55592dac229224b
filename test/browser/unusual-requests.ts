import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Stage } from './sample.js';
import { openPage, signIn, type OpenedPage } from './browser.js';

export function unusualRequests(stage: Stage): void {
  const client = createServer((request, response) => response.end(`arrived at ${request.url}`));
  let userBrowser: OpenedPage;
  let requested: Record<string, string>;

  beforeAll(async () => {
    await once(client.listen(0, '127.0.0.1'), 'listening');
    const { port } = client.address() as AddressInfo;
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    requested = { response_type: 'code', client_id: 'demo-web', redirect_uri: redirectUri, state: 'abc' };
    userBrowser = await openPage(stage.browser, { viewport: { width: 390, height: 844 } });
  });
  afterAll(async () => {
    client.close();
    client.closeAllConnections();
    await userBrowser?.page.context().close();
  });

  afterEach(() => expect(userBrowser.complaints).toEqual([]));

  const open = (change: Record<string, string>) =>
    userBrowser.page.goto(
      `${stage.sample.url}/oauth/authorize?${new URLSearchParams({ ...requested, ...change }).toString()}`,
    );

  it.each([
    ['an unknown client', { client_id: 'nobody' }, 'the `client_id` is unknown'],
    [
      'a request with a foreign redirect URI',
      { redirect_uri: 'https://evil.example/' },
      '`redirect_uri` does not match client value',
    ],
    [
      'a request with a javascript: redirect URI',
      { redirect_uri: 'javascript:alert(1)' },
      '`redirect_uri` is not a valid URI',
    ],
  ])('stops %s with an error page', async (name, change, detail) => {
    const { page, look } = userBrowser;
    const response = await open(change);
    expect(response?.status()).toBe(400);
    expect(await response?.headerValue('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe("This request can't be completed");
    expect(await page.getByRole('alert').innerText()).toMatch(/^The app that sent you here is unknown/);
    expect(await page.innerText('main')).toContain(detail);
    expect(await look(`error-${name.replaceAll(' ', '-')}`)).toBe(0);
    await page.getByRole('link', { name: 'nest-oauth2 quick start' }).click();
    await page.waitForURL(`${stage.sample.url}/`);
  });

  it('asks for the default scope if the request has none, and only once', async () => {
    const { page, look } = userBrowser;
    await open({});
    await signIn(page);
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    const granted = await page.getByRole('listitem').allInnerTexts();
    expect(granted.map((text) => text.split(/\s+/).at(-1))).toEqual(['profile']);
    expect(await look('consent-to-the-default')).toBe(0);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('arrived at /callback?code=').waitFor();

    await open({ state: 'again' });
    await page.getByText('state=again').waitFor();
  });
}
