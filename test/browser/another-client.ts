import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Stage } from './sample.js';
import { openPage, signIn } from './browser.js';

export function anotherClient(stage: Stage): void {
  const client = createServer((request, response) => response.end(`arrived at ${request.url}`));
  beforeAll(() => once(client.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => {
    client.close();
    client.closeAllConnections();
  });

  it('redirects the client demo-web to another port, and asks for consent only the first time', async () => {
    const { page, complaints } = await openPage(stage.browser, {});
    const authorize = new URL('/oauth/authorize', stage.sample.url);
    authorize.search = String(
      new URLSearchParams({
        response_type: 'code',
        client_id: 'demo-web',
        redirect_uri: `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`,
        scope: 'notes:read',
        state: 'first',
      }),
    );

    await page.goto(String(authorize));
    await signIn(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('arrived at /callback?code=').waitFor();
    // Every authorization response contains the issuer (RFC 9207).
    expect(new URL(page.url()).searchParams.get('iss')).toBe(stage.sample.url);

    // The content security policy must not block the redirect from the login form to the other port.
    await page.goto(stage.sample.url);
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.getByText('You are signed out').waitFor();
    authorize.searchParams.set('state', 'second');
    await page.goto(String(authorize));
    await signIn(page);
    await page.getByText('state=second').waitFor();
    expect(await page.innerText('body')).toMatch(/^arrived at \/callback\?code=/);

    // The default callback paths of common client libraries are registered too.
    for (const path of ['/api/auth/callback/demo', '/login/oauth2/code/demo', '/oauth/callback']) {
      const redirectUri = new URL(path, authorize.searchParams.get('redirect_uri')!);
      authorize.searchParams.set('redirect_uri', String(redirectUri));
      await page.goto(String(authorize));
      await page.getByText(`arrived at ${path}?code=`).waitFor();
    }

    // A wider scope requires consent again.
    authorize.searchParams.set('scope', 'notes:read notes:write');
    await page.goto(String(authorize));
    await page.getByText('Write notes for you').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
}
