import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { deviceAuthorization } from 'nest-oauth2/features';
import { pages, type PagesOptions } from 'nest-oauth2/pages';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';

import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from './page-browser.js';

// RFC 7591 §2 (`logo_uri`), §5

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pngOf = (width: number, height: number) => {
  const copy = Buffer.from(PNG);
  copy.writeUInt32BE(width, 16);
  copy.writeUInt32BE(height, 20);
  return copy;
};
/** Returns the start of a JPEG image: an APP0 segment and a frame header of this size. */
const jpegOf = (width: number, height: number) => {
  const frame = Buffer.from('ffc0000b080000000001011100', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from('ffd8ffe000044a46', 'hex'), frame]);
};
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>');

const REDIRECT = 'http://127.0.0.1/callback';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

/** A server that sends the same body for all requests and records them. */
let logos: { server: Server; url: string; requests: IncomingMessage[]; body: Buffer; status: number };

beforeEach(async () => {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(logos.status, { location: `${logos.url}/elsewhere` }).end(logos.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  logos = {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    body: PNG,
    status: 200,
  };
});
afterEach(async () => {
  logos.server.close();
  await once(logos.server, 'close');
});

describe.each(ANY_PLATFORM)('the logo of a client on consent pages, on %s', (platform) => {
  afterEach(stopApplications);

  /** Returns a signed-in browser, and a function that opens the consent page. */
  async function setUp(
    client: Partial<StoredClient> & { metadata?: object } = {},
    options: PagesOptions = { clientLogos: { allowLoopback: true } },
  ) {
    const alice = { id: '1', username: 'alice' };
    const model = new MemoryStore({
      clients: [
        {
          id: 'web',
          secret: 'secret-of-web',
          grants: ['authorization_code', DEVICE],
          scopes: ['read'],
          redirectUris: [REDIRECT],
          consent: 'always',
          logoUri: `${logos.url}/logo.png`,
          ...client,
        },
      ],
      users: { findById: () => alice, findByCredentials: () => alice },
    });
    const features = [deviceAuthorization(), pages({ devices: true, ...options })];
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const module = OAuth2Module.forRoot({ model, issuer, secret: SECRET, features, requirePKCE: 'none' });
    const { url } = await startApplication(platform, { imports: [module] }, { port });
    const browser = new PageBrowser(url);
    await browser.signIn('/oauth/login');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'web',
      redirect_uri: REDIRECT,
      scope: 'read',
      state: 'some-state',
    });
    return { url, browser, consent: () => browser.get(`/oauth/authorize?${query.toString()}`) };
  }

  const pictureOf = (html: string) => /<img class="client-logo" src="([^"]*)"/.exec(html)?.[1];

  it.each([
    ['PNG', PNG, 'image/png'],
    ['JPEG', jpegOf(16, 8), 'image/jpeg'],
  ])('is embedded as a %s picture, which the server fetches only once', async (_, body, type) => {
    logos.body = body;
    const { consent } = await setUp();
    const page = await consent();
    expect(pictureOf(page.html)).toBe(`data:${type};base64,${body.toString('base64')}`);
    expect(page.headers.get('content-security-policy')).toContain('img-src data:;');
    await consent();
    expect(logos.requests.map(({ url, headers }) => [url, headers.cookie, headers.referer])).toEqual([
      ['/logo.png', undefined, undefined],
    ]);
  });

  it('is allowed by the Content Security Policy in addition to the logo of the site', async () => {
    const { consent } = await setUp({}, { clientLogos: { allowLoopback: true }, logo: 'https://cdn.example/a.png' });
    const { headers } = await consent();
    expect(headers.get('content-security-policy')).toContain('img-src https://cdn.example data:;');
  });

  it('is shown on the consent page of the device flow too', async () => {
    const { url, browser } = await setUp();
    const begun = await fetch(`${url}/oauth/device_authorization`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('web:secret-of-web')}` },
      body: new URLSearchParams({ scope: 'read' }),
    });
    const { user_code } = (await begun.json()) as { user_code: string };
    const page = await browser.send(await browser.get('/oauth/device'), { user_code });
    expect(pictureOf(page.html)).toBe(`data:image/png;base64,${PNG.toString('base64')}`);
  });

  it.each<[string, Buffer, number]>([
    ['is an SVG document', SVG, 200],
    ['is wider than 1024 pixels', pngOf(1025, 8), 200],
    ['is higher than 1024 pixels', jpegOf(8, 1025), 200],
    ['has a width of zero', pngOf(0, 8), 200],
    ['has no frame header', Buffer.from('ffd8ffe000044a46ffd9', 'hex'), 200],
    ['is a truncated PNG file', PNG.subarray(0, 20), 200],
    ['has more than 64 KiB', Buffer.concat([PNG, Buffer.alloc(65_536)]), 200],
    ['is behind a redirect', PNG, 302],
    ['is missing', PNG, 404],
  ])('is omitted if it %s', async (_, body, status) => {
    Object.assign(logos, { body, status });
    const { consent } = await setUp();
    const page = await consent();
    expect([page.status, page.form.fields['csrf_token']]).toEqual([200, expect.any(String)]);
    expect(pictureOf(page.html)).toBeUndefined();
    await consent();
    expect(logos.requests).toHaveLength(1);
  });

  it.each<[string, string | undefined]>([
    ['has the host of the redirect URI', '127.0.0.1'],
    ['has another host', undefined],
  ])(
    'of a self-registered client is embedded only if its URL has the common host of the redirect URIs: it %s',
    async (_, host) => {
      const logo_uri = `${logos.url}/logo.png`.replace('127.0.0.1', host ?? 'localhost');
      const { consent } = await setUp({ logoUri: undefined, metadata: { logo_uri } } as never);
      const page = await consent();
      expect(pictureOf(page.html) === undefined).toBe(host === undefined);
      expect(logos.requests).toHaveLength(host === undefined ? 0 : 1);
    },
  );

  it('of a self-registered client is omitted if its redirect URIs have several hosts', async () => {
    const redirectUris = ['https://attacker.example/cb', REDIRECT];
    const metadata = { logo_uri: `${logos.url}/logo.png` };
    const { consent } = await setUp({ logoUri: undefined, redirectUris, metadata } as never);
    expect(pictureOf((await consent()).html)).toBeUndefined();
    expect(logos.requests).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['is neither https nor local', 'http://logo.example/a.png'],
    ['is not a string', 7],
    ['is a javascript: URI', 'javascript:alert(1)'],
    ['is a data: URI', 'data:image/svg+xml,<svg/>'],
  ])('is never requested if its URL %s', async (_, logoUri) => {
    const { consent } = await setUp({ logoUri } as never);
    expect(pictureOf((await consent()).html)).toBeUndefined();
    expect(logos.requests).toEqual([]);
  });

  it('is never requested by default, or from a private address with `clientLogos: true`', async () => {
    for (const options of [{}, { clientLogos: true }]) {
      const { consent } = await setUp({ logoUri: logos.url.replace('http:', 'https:') }, options);
      expect(pictureOf((await consent()).html)).toBeUndefined();
    }
    expect(logos.requests).toEqual([]);
  });
});

it.each<[object, RegExp]>([
  [{ clientLogos: 'yes' }, /`clientLogos` of `pages\(\)` must be `true`, `false` or an object of options/],
  [{ clientLogos: { sise: 7 } }, /sise/],
  [{ clientLogos: { timeout: 0 } }, /`timeout`/],
])('pages(%j) throws a configuration error', (options, message) => {
  expect(() => pages(options as PagesOptions)).toThrow(message);
});
