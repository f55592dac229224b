import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { waitUntil } from '../support/environment/wait-until.js';
import type { Stage } from './sample.js';

export function outsideTheBrowser(stage: Stage): void {
  it('prints three curl commands that work when pasted', async () => {
    const lines = [...stage.sample.log.matchAll(/^ {2}(curl .*)$/gm)].map(([, line]) => line!);
    expect(lines).toHaveLength(3);
    const [token, notes, refused] = await Promise.all(lines.map(paste));
    expect(JSON.parse(token!)).toEqual({
      access_token: expect.stringMatching(/^\S{20,}$/),
      token_type: 'Bearer',
      expires_in: expect.closeTo(3600, -1),
      scope: 'notes:read',
    });
    expect(JSON.parse(notes!)).toEqual({ notes: ['Follow the white rabbit', 'Be at the tea party by six'] });
    expect(refused).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n[^]*^WWW-Authenticate: Bearer realm="Service"\r$/im);
  });

  it('logs why a client was rejected', async () => {
    const headers = { authorization: `Basic ${btoa('demo-web:wrong')}` };
    await fetch(`${stage.sample.url}/oauth/token`, { method: 'POST', headers, body: new URLSearchParams('a=b') });
    const line = /client\.refused .*clientId="demo-web" .*client secret is wrong/;
    expect(await waitUntil(() => line.exec(stage.sample.log))).toBeTruthy();
  });

  it.each(['/nowhere', '/oauth/nowhere', '/assets/nowhere.css', '/%E0', '/<b>'])(
    'responds to the unknown path %p with a page',
    async (path) => {
      const response = await fetch(stage.sample.url + path);
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const page = await response.text();
      expect(page).toContain('Back to the home page');
      expect(page).not.toContain('<b>');
    },
  );

  it('responds to a malformed form with a page', async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${stage.sample.url}/nowhere`, { method: 'POST', headers, body: '{' });
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await response.text()).toContain('The request could not be processed.');
  });

  it('responds to an unknown path of the API in JSON', async () => {
    const response = await fetch(`${stage.sample.url}/api/nowhere`);
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ statusCode: 404 })]);
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    '',
  ])('never redirects to %p after the login (open redirect)', async (returnTo) => {
    const response = await signIn(stage.sample.url, { return_to: returnTo });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
  });

  it('redirects to the original path after the login', async () => {
    const response = await signIn(stage.sample.url, { return_to: '/oauth/authorize?a=1&b=%2F' });
    expect(response.headers.get('location')).toBe('/oauth/authorize?a=1&b=%2F');
    const session = response.headers.getSetCookie().find((cookie) => SESSION.test(cookie));
    expect(session).toMatch(/; HttpOnly; SameSite=Lax/);
  });

  it('rejects a login form with a forged token (CSRF)', async () => {
    const response = await signIn(stage.sample.url, { csrf_token: 'guessed' });
    expect(response.status).toBe(403);
    expect(response.headers.getSetCookie().some((cookie) => SESSION.test(cookie))).toBe(false);
  });

  it('escapes user input, and allows only its own scripts', async () => {
    const response = await signIn(stage.sample.url, { username: '"><script>alert(1)</script>', password: 'x' });
    expect(await response.text()).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; style-src 'sha256-");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('ends the session at sign-out, for a copy of its cookie too', async () => {
    const { url } = stage.sample;
    const cookie = sessionOf(await signIn(url, {}));
    const isKnown = async () => (await (await fetch(url, { headers: { cookie } })).text()).includes('Alice Liddell');
    expect(await isKnown()).toBe(true);
    await fetch(`${url}/oauth/logout`, { method: 'POST', headers: { cookie }, redirect: 'manual' });
    expect(await isKnown()).toBe(false);
  });

  it('starts a new session for each login, and ends the previous one in this browser', async () => {
    const { url } = stage.sample;
    const first = sessionOf(await signIn(url, {}));
    const second = sessionOf(await signIn(url, {}, first));
    expect(second).not.toBe(first);
    expect(await (await fetch(url, { headers: { cookie: first } })).text()).not.toContain('Alice Liddell');
    expect(await (await fetch(url, { headers: { cookie: second } })).text()).toContain('Alice Liddell');
  });

  it('serves its files while forty clients guess passwords, and rejects requests that would wait too long', async () => {
    const { url } = stage.sample;
    // All forms are loaded first, so that the guesses arrive at the same time even on a busy machine.
    const forms = await Promise.all(Array.from({ length: 60 }, () => loginForm(url)));
    const guesses = forms.map((form, index) =>
      sendLogin(url, form, { username: `guess${index}`, password: 'x' }).then(({ status }) => status),
    );
    let served = 0;
    const serving = (async () => {
      for (; served < 20; served++) expect((await fetch(`${url}/assets/style.css`)).status).toBe(200);
      return 'files';
    })();
    // Twenty sequential file requests finish before sixty password hashes.
    expect(await Promise.race([serving, Promise.all(guesses).then(() => 'guesses')])).toBe('files');
    const statuses = await Promise.all(guesses);
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
  });

  it('does not let a client credentials client act as a user', async () => {
    const { url } = stage.sample;
    const own = { grant_type: 'client_credentials', scope: 'notes:read' };
    const headers = { authorization: `Basic ${btoa('demo-web:demo-web-secret')}` };
    const response = await fetch(`${url}/oauth/token`, { method: 'POST', headers, body: new URLSearchParams(own) });
    const { access_token: token } = (await response.json()) as { access_token: string };
    const notes = await fetch(`${url}/api/notes`, { headers: { authorization: `Bearer ${token}` } });
    expect([notes.status, ((await notes.json()) as { error: string }).error]).toEqual([403, 'insufficient_scope']);
  });

  it('ignores a session cookie that it did not issue', async () => {
    const cookie = `oauth2-session.${new URL(stage.sample.url).port}=${'A'.repeat(43)}`;
    const response = await fetch(stage.sample.url, { headers: { cookie } });
    expect(await response.text()).not.toContain('Alice Liddell');
  });
}

async function paste(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', line]);
  return stdout;
}

/** Loads the login form, fills it in and submits it with its own cookie or that of a session. */
async function signIn(url: string, fields: Record<string, string>, session = ''): Promise<Response> {
  return sendLogin(url, await loginForm(url, session), fields);
}

interface LoginForm {
  token: string;
  cookie: string;
}

async function loginForm(url: string, session = ''): Promise<LoginForm> {
  const form = await fetch(`${url}/oauth/login`, { headers: { cookie: session } });
  const token = /name="csrf_token" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
  return { token, cookie: session || form.headers.getSetCookie()[0]!.split(';')[0]! };
}

async function sendLogin(url: string, { token, cookie }: LoginForm, fields: Record<string, string>): Promise<Response> {
  return fetch(`${url}/oauth/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams({ csrf_token: token, username: 'alice', password: 'wonderland', ...fields }),
  });
}

/** The session cookie of a server whose issuer has a port. */
const SESSION = /^oauth2-session\.\d+=/;

const sessionOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .find((cookie) => SESSION.test(cookie))!
    .split(';')[0]!;
