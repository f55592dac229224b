import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Header, Post, Sse, UseGuards } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AcceptSession, CurrentUser, OAuth2Module, OAuthGuard, Public } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { Browser } from 'playwright-core';
import { of } from 'rxjs';

import { freePort } from '../support/environment/free-port.js';
import { SECRET } from '../support/servers/demo.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/servers/test-application.js';
import { describeInBrowser, openBrowser, openPage } from './browser.js';

@Controller()
class HomeController {
  @Get()
  @Public()
  @Header('content-type', 'text/html')
  home() {
    return '<!doctype html><html lang="en"><title>Home</title><h1>Home</h1></html>';
  }
}

@Controller('api')
@UseGuards(OAuthGuard)
@AcceptSession()
class ApiController {
  @Get('me')
  me(@CurrentUser('id') user: string) {
    return { user };
  }

  @Post('me')
  write(@CurrentUser('id') user: string) {
    return { user };
  }

  @Sse('events')
  events(@CurrentUser('id') user: string) {
    return of({ data: user });
  }
}

@WebSocketGateway()
@UseGuards(OAuthGuard)
@AcceptSession()
class UserGateway {
  @SubscribeMessage('who')
  who(@CurrentUser('id') data: string) {
    return { event: 'who', data };
  }
}

/** A script that calls the API of `origin` in each way that carries cookies, and resolves to what it reads. */
const attempts = (origin: string) => `(async () => {
  const get = (path, init) => fetch('${origin}' + path, { credentials: 'include', ...init })
    .then(async (response) => response.status + ' ' + ((await response.json()).user ?? '')).catch(() => 'blocked');
  const stream = new Promise((resolve) => {
    const source = new EventSource('${origin}/api/events', { withCredentials: true });
    source.onmessage = ({ data }) => { source.close(); resolve('event ' + data); };
    source.onerror = () => { source.close(); resolve('refused'); };
  });
  const socket = new Promise((resolve) => {
    const opened = new WebSocket('${origin.replace('http', 'ws')}');
    opened.onopen = () => opened.send(JSON.stringify({ event: 'who' }));
    opened.onmessage = ({ data }) => { const sent = JSON.parse(data); resolve(sent.event === 'who' ? 'user ' + sent.data : 'refused'); };
    opened.onclose = () => resolve('refused');
  });
  const script = { 'x-requested-with': 'fetch' };
  return [await get('/api/me'), await get('/api/me', { method: 'POST' }), await get('/api/me', { method: 'POST', headers: script }), await stream, await socket];
})()`;

describeInBrowser('a web application without tokens', () => {
  let browser: Browser;
  let url: string;
  let foreign: { url: string; close(): void };

  beforeAll(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    const redirectUri = `${url}/`;
    const model = new MemoryStore({
      clients: [
        {
          id: 'web',
          name: 'Notes',
          secret: 's'.repeat(20),
          grants: ['authorization_code'],
          redirectUris: [redirectUri],
          scopes: ['notes', 'mail', 'files'],
        },
      ],
      users: { findById: (id) => ({ id, name: 'Alice' }), findByCredentials: (id) => ({ id, name: 'Alice' }) },
    });
    const languages = {
      ar: {
        messages: { consentTitle: 'السماح بالوصول؟', consentChoice: 'أزل ما لا تريد السماح به.' },
        scopes: { notes: 'قراءة ملاحظاتك' },
      },
    };
    const site = pages({
      optionalScopes: ['mail', 'files'],
      languages,
      scopes: { notes: 'Read your notes', mail: 'Send mail as you' },
    });
    await startApplication(
      ANY_PLATFORM[0]!,
      {
        imports: [OAuth2Module.forRoot({ model, features: [site], secret: SECRET, issuer: url, isGlobal: true })],
        controllers: [HomeController, ApiController],
        providers: [UserGateway],
      },
      { port, prepare: (app) => app.useWebSocketAdapter(new WsAdapter(app)) },
    );
    // Another port is another origin of the same site: its pages send the cookie.
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><html lang="en"><title>Other</title></html>');
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    foreign = {
      url: `http://localhost:${(server.address() as AddressInfo).port}`,
      close() {
        server.closeAllConnections();
        server.close();
      },
    };
    browser = await openBrowser();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    foreign?.close();
    await stopApplications();
  });

  it('calls the API with the session from its own origin, and not from another one of the same site', async () => {
    const { page } = await openPage(browser, {});
    await page.goto(`${url}/oauth/login`);
    await page.fill('[name=username]', 'alice');
    await page.fill('[name=password]', 'wonderland');
    await page.click('button');
    await page.goto(url);
    expect(await page.evaluate(attempts(url))).toEqual(['200 alice', '401 ', '201 alice', 'event alice', 'user alice']);
    await page.goto(foreign.url);
    expect(await page.evaluate(attempts(url))).toEqual(['blocked', 'blocked', 'blocked', 'refused', 'refused']);
    const direct = await page.goto(`${url}/api/me`);
    expect(direct!.status()).toBe(401);
    await page.context().close();
  }, 60_000);

  it.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
    ['right-to-left', { locale: 'ar' }],
  ] as const)(
    'offers optional scopes without scripts, and without accessibility problems: %s',
    async (name, options) => {
      const { page, complaints, look } = await openPage(browser, options);
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: 'web',
        scope: 'notes mail files',
        state: 'x',
        redirect_uri: `${url}/`,
      });
      await page.goto(`${url}/oauth/authorize?${query.toString()}`);
      await page.fill('[name=username]', `user-${name}`);
      await page.fill('[name=password]', 'wonderland');
      await page.click('button');
      expect(await look(`optional-scopes-${name}`)).toBe(0);
      const boxes = page.locator('input[type=checkbox]');
      expect(await Promise.all([0, 1, 2].map(async (index) => boxes.nth(index).isDisabled()))).toEqual([
        true,
        false,
        false,
      ]);
      await boxes.nth(1).uncheck();
      await page.click('[value=allow]');
      for (const path of ['applications', 'account']) {
        await page.goto(`${url}/oauth/${path}`);
        expect(await page.locator('.applications').textContent()).not.toContain('Send mail');
        expect(await look(`ask-me-again-${path}-${name}`)).toBe(0);
      }
      expect(complaints).toEqual([]);
      await page.context().close();
    },
    60_000,
  );
});
