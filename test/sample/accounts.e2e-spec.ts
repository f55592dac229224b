import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { OAuth2Server } from 'nest-oauth2/server';
import { ACCOUNTS } from '../../src/accounts/accounts.js';
import { PASSWORD, sectionForm } from '../src/accounts/account-application.js';
import { PageBrowser } from '../src/pages/page-browser.js';
import { bearer } from '../support/clients/http.js';
import { freePort } from '../support/environment/free-port.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/servers/test-application.js';
import { signUpAt } from './sign-up.js';

const GRACE_PERIOD = 14 * 86_400_000;
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };
const VERIFIER = 'a'.repeat(43);

const port = await freePort();
const issuer = `http://localhost:${port}`;

/** The users of the sample. */
interface Users {
  findByEmail(email: string): Promise<{ id: string } | null>;
  export(user: { id: string }): Promise<{ notes: string[] }>;
}

/** Imports a file of the sample. Its path is no literal, so that the compiler does not read the packages of the sample. */
async function load<T>(file: string): Promise<T> {
  return (await import(`../../sample/20-accounts/src/${file}.js`)) as T;
}

describe.each(ANY_PLATFORM)('sample/20-accounts on %s', (platform) => {
  let imports: Type[];
  let app: INestApplication;

  beforeAll(async () => {
    Object.assign(process.env, { ISSUER: issuer, DATABASE_FILE: ':memory:' });
    imports = [(await load<{ AppModule: Type }>('app.module')).AppModule];
    ({ app } = await startApplication(platform, { imports }, { port }));
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(stopApplications);

  const browser = () => new PageBrowser(issuer, { origin: issuer });
  const signUp = async (email: string) => signUpAt(browser(), email, PASSWORD);

  /** Sends a request to the API, and returns the status and the content. */
  async function notes(headers: Record<string, string>, text?: string) {
    const init = text === undefined ? {} : { method: 'POST', body: new URLSearchParams({ text }) };
    const response = await fetch(`${issuer}/notes`, { ...init, headers });
    return [response.status, await response.json()];
  }
  const cookieOf = ({ cookies }: PageBrowser) => ({
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  });

  it('signs a user up by the link at /mails, and accepts the session from its own pages only', async () => {
    const alice = await signUp('session@example.com');
    expect((await alice.get('/')).heading).toBe('Notes of Alice Liddell');
    const session = { ...cookieOf(alice), ...OWN_PAGE };
    expect(await notes({ ...session, 'x-requested-with': 'fetch' }, 'Buy tea')).toEqual([201, ['Buy tea']]);
    expect(await notes(session)).toEqual([200, ['Buy tea']]);
    expect((await notes({ ...session, 'sec-fetch-site': 'cross-site' }))[0]).toBe(401);
    expect((await notes(session, 'without the header'))[0]).toBe(401);
    expect((await browser().get('/')).html).toContain('href="/oauth/sign_up"');
  });

  it('accepts a personal access token with its scope, and offers passkeys and an authenticator app', async () => {
    const alice = await signUp('token@example.com');
    const form = await sectionForm(alice, 'tokens', 'create');
    const { html } = await alice.post('/oauth/account', { ...form, token_name: 'CI', 'scope:notes:read': '1' });
    const token = /<code>(notes_\w+)<\/code>/.exec(html)![1]!;
    expect(await notes(bearer(token))).toEqual([200, []]);
    expect((await notes(bearer(token), 'not allowed'))[0]).toBe(403);
    const account = (await alice.get('/oauth/account')).html;
    for (const text of ['Add a passkey', 'Set up an authenticator app']) expect(account).toContain(text);
  });

  it('issues a token with the scope that the user allowed, without the one that was refused', async () => {
    const alice = await signUp('consent@example.com');
    const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(VERIFIER))).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'reader',
      redirect_uri: `${issuer}/reader`,
      scope: 'notes:read notes:write',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const consent = await alice.get(`/oauth/authorize?${query.toString()}`);
    expect(consent.html).toMatch(/type="checkbox"[^>]*value="notes:write"/);
    const { location } = await alice.send(consent, { decision: 'allow' });
    const response = await fetch(`${issuer}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'reader',
        redirect_uri: `${issuer}/reader`,
        code: new URL(location!).searchParams.get('code')!,
        code_verifier: VERIFIER,
      }),
    });
    const { access_token: token, scope } = (await response.json()) as Record<string, string>;
    expect(scope).toBe('notes:read');
    expect(await notes(bearer(token!))).toEqual([200, []]);
    expect((await notes(bearer(token!), 'not allowed'))[0]).toBe(403);
  });

  it('exports the notes of a user, and deletes them with the account after the grace period', async () => {
    const alice = await signUp('deletion@example.com');
    await notes({ ...cookieOf(alice), ...OWN_PAGE, 'x-requested-with': 'fetch' }, 'Buy tea');
    const file = await alice.post('/oauth/account', await sectionForm(alice, 'data', 'export'));
    expect(JSON.parse(file.html)).toMatchObject({ application: { name: 'Alice Liddell', notes: ['Buy tea'] } });
    const users = app.get<Users>((await load<{ UsersService: Type<Users> }>('users.service')).UsersService);
    const account = (await users.findByEmail('deletion@example.com'))!;
    const order = await alice.post('/oauth/account', { ...(await sectionForm(alice, 'data', 'delete')), confirm: '1' });
    expect(order.location).toMatch(/^\/oauth\/keep_account/);
    expect((await users.export(account)).notes).toEqual(['Buy tea']);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + GRACE_PERIOD + 1000);
    expect(await app.get(OAuth2Server).context.find(ACCOUNTS)!.deletions!.finishDue()).toBe(1);
    expect(await users.findByEmail('deletion@example.com')).toBeNull();
    expect((await users.export(account)).notes).toEqual([]);
  });

  it('shows e-mails to no page of another host, whose domain resolves to this computer', async () => {
    const headers = { host: `attacker.example:${port}` };
    const [response] = (await once(get(`${issuer}/mails`, { headers }), 'response')) as [IncomingMessage];
    response.destroy();
    expect(response.statusCode).toBe(404);
  });

  it.each([{ NODE_ENV: 'production' }, { ISSUER: 'https://id.example' }])(
    'does not start where the e-mails would be public: %j',
    async (variables) => {
      const before = { ...process.env };
      Object.assign(process.env, variables);
      jest.resetModules();
      const { MailCatcher } = await load<{ MailCatcher: Type }>('mail-catcher');
      try {
        expect(() => new MailCatcher()).toThrow('`MailCatcher` shows all e-mails at /mails');
      } finally {
        process.env = before;
      }
    },
  );
});
