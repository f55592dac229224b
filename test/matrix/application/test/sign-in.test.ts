import { createHash, randomBytes } from 'node:crypto';
import type * as jest from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
// @ts-expect-error: `npm run matrix` builds this file.
import { start as startBuild } from '../dist/application.js';
import { start as startSources } from '../src/application.js';
import { PageBrowser } from './page-browser.js';

// Jest and Vitest define these functions globally.
declare const describe: typeof jest.describe;
declare const it: typeof jest.it;
declare const expect: typeof jest.expect;
declare const beforeAll: typeof jest.beforeAll;
declare const afterAll: typeof jest.afterAll;

const client = { client_id: 'my-spa', redirect_uri: 'http://127.0.0.1:8080/callback' };

describe.each<[string, () => Promise<INestApplication>]>([
  ['the sources', startSources],
  ['the build', startBuild],
])('the application made from %s', (_name, start) => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    app = await start();
    url = await app.getUrl();
  });
  afterAll(() => app?.close());

  it('runs on the HTTP adapter and the Node.js version of the cell', () => {
    expect(app.getHttpAdapter().getType()).toBe(process.env['HTTP_ADAPTER']);
    expect(process.versions.node.split('.')[0]).toBe(process.env['NODE_VERSION']);
  });

  it('rejects a call of the guarded route without a token', async () => {
    const response = await fetch(`${url}/notes`);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /);
  });

  it('lets a user sign in on the pages, and the client call the guarded route with its token', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const browser = new PageBrowser(url);
    const query = new URLSearchParams({
      ...client,
      response_type: 'code',
      scope: 'notes:read',
      state: 'af0ifjsldkj',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const { location: login } = await browser.get(`/oauth/authorize?${query.toString()}`);
    const signedIn = await browser.signIn(login!);
    const consent = await browser.get(signedIn.location!);
    expect(consent.html).toContain('Read your notes');
    const allowed = await browser.send(consent, { decision: 'allow' });
    const callback = new URL(allowed.location!);
    expect(`${callback.origin}${callback.pathname}`).toBe(client.redirect_uri);
    expect(callback.searchParams.get('state')).toBe('af0ifjsldkj');

    const code = callback.searchParams.get('code')!;
    const form = { ...client, grant_type: 'authorization_code', code, code_verifier: verifier };
    const issued = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
    expect(issued.status).toBe(200);
    const { access_token: token } = (await issued.json()) as { access_token: string };
    const response = await fetch(`${url}/notes`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ user: '1', notes: ['Follow the white rabbit'] });
  });
});
