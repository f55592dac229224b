import { Logger, type ModuleMetadata } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accounts, logMailer } from 'nest-oauth2/accounts';
import { OAuth2Maintenance, OAuth2Module } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';
import { attackLab } from 'nest-oauth2/testing';
import { google } from 'nest-oauth2/upstreams';
import { SECRET } from '../../support/servers/demo.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { UserTable } from '../accounts/account-application.js';

const users = { findByCredentials: () => undefined, findById: () => undefined };
const web: StoredClient = {
  id: 'web',
  secret: 'web-secret',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: ['https://app.example/callback'],
};
const store = (more: Partial<StoredClient> = {}) => new MemoryStore({ clients: [{ ...web, ...more }], users });

const warn = jest.spyOn(Logger.prototype, 'warn');
const log = jest.spyOn(Logger.prototype, 'log');
const linesOf = (spy: { mock: { calls: unknown[][] } }) => spy.mock.calls.map(([text]) => String(text));
const { NODE_ENV: environment } = process.env;

beforeEach(() => {
  for (const spy of [warn, log]) spy.mockReset().mockImplementation(() => undefined);
});
afterEach(async () => {
  process.env['NODE_ENV'] = environment;
  await stopApplications();
});

async function start(options: object = {}, { imports = [], ...module }: ModuleMetadata = {}) {
  const settings = {
    model: store(),
    issuer: 'https://id.example.com',
    secret: SECRET,
    interaction: null,
    isGlobal: true,
  };
  const oauth = OAuth2Module.forRoot({ ...settings, ...options });
  return startApplication(ANY_PLATFORM[0]!, { imports: [oauth, ...imports], ...module });
}

describe('a placeholder', () => {
  it.each([
    'change-me-change-me-change-me-change-me',
    'your-super-secret-of-32-characters',
    'x'.repeat(32),
    '32 or more random characters, for example of: openssl rand -base64 32',
  ])('as the secret of the module is a warning, and refuses the start in production: %s', async (secret) => {
    const message =
      'the option `secret` is a placeholder, with which everyone can forge forms and logins: replace it with';
    await start({ secret: [SECRET, secret] });
    expect(linesOf(warn)).toEqual([expect.stringContaining(message)]);
    process.env['NODE_ENV'] = 'production';
    await expect(start({ secret })).rejects.toThrow(message);
  });

  it.each(['secret', 'change-me', 'your-client-secret', 'xxxx', 'clientSecret'])(
    'as the secret of a client in code is a warning: %s',
    async (secret) => {
      await start({ model: store({ secret }) });
      expect(linesOf(warn)).toEqual([
        'The `secret` of the client `web` is a placeholder, which everyone can guess: replace it with random characters, such as the ' +
          'output of `openssl rand -base64 33`.',
      ]);
    },
  );

  it('is not found in a random text', async () => {
    const secret = 'q5fJc1yQ0l3bJw6cE7m2T9uXhA4sD8kPzRvN+oGiBtY=';
    await start({ secret, model: store({ secret }) });
    expect(linesOf(warn)).toEqual([]);
  });
});

it.each([
  ['$2b$10$abcdefghijklmnopqrstuu', '$2b$…'],
  ['$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA', '$argon2id$…'],
  [['plain', '$scrypt$ln=14,r=8,p=1$c2FsdA$aGFzaA'], '$scrypt$…'],
])('rejects a client whose secret is a hash: %s', async (secret, shown) => {
  const message = `the client \`web\` is invalid: \`secret\` is a hash (\`${shown}\`), which the client would have to send`;
  expect(() => store({ secret })).toThrow(message);
  await expect(new MemoryStore({ users }).createClient({ ...web, secret })).rejects.toThrow(message);
});

it.each([
  ['http://app.example/callback', true],
  ['http://localhost:3000/callback', false],
  ['http://127.0.0.1/callback', false],
  ['com.example.app:/callback', false],
])('warns of a redirect URI of another computer without TLS: %s', async (uri, isWarned) => {
  await start({ model: store({ redirectUris: ['https://app.example/callback', uri] }) });
  const line =
    `The client \`web\` has the redirect URI \`${uri}\`, without TLS: everyone on the way can read its authorization codes. Use https. In ` +
    'a closed test network, ignore this.';
  expect(linesOf(warn)).toEqual(isWarned ? [line] : []);
});

it('warns of two sign-up pages, of pages() and of accounts()', async () => {
  const message =
    'The login page links to /join, the `signUp` of `pages()`, and the sign-up page of `accounts()` is open';
  const withSignUp = (signUp: boolean) => ({
    interaction: undefined,
    features: [pages({ signUp: '/join' }), accounts({ users: new UserTable(), mail: logMailer(), signUp })],
  });
  await start(withSignUp(false));
  expect(linesOf(warn).filter((line) => line.startsWith(message))).toEqual([]);
  await start(withSignUp(true));
  expect(linesOf(warn).filter((line) => line.startsWith(message))).toHaveLength(1);
});

describe('expired records that nothing deletes', () => {
  class PrismaStore extends MemoryStore {}
  const message = 'Nothing in this application deletes the expired records of `PrismaStore`, so its tables grow: add';
  const lines = () => linesOf(log).filter((line) => line.startsWith(message)).length;

  it('are a line in the log in production, until a provider deletes them', async () => {
    const model = new PrismaStore({ users });
    await start({ model });
    expect(lines()).toBe(0);
    process.env['NODE_ENV'] = 'production';
    await start({ model });
    expect(lines()).toBe(1);
    await start({ model }, { providers: [OAuth2Maintenance] });
    const useFactory = () =>
      Object.create(OAuth2Maintenance.prototype, { onApplicationBootstrap: { value() {} } }) as object;
    await start({ model }, { providers: [{ provide: 'MAINTENANCE', useFactory }] });
    expect(lines()).toBe(1);
  });
});

describe('a client that is allowed what the server cannot do', () => {
  it('is a warning: the scope `openid` without `openid()`', async () => {
    await start({ model: store({ scopes: ['openid', 'notes:read'] }) });
    expect(linesOf(warn)).toEqual([
      'The client `web` has the scope `openid`, but it gets no ID token, because the server lacks `openid()`: add `openid()` and ' +
        '`keys()` to `features`, or remove the scope.',
    ]);
    warn.mockClear();
    const model = Object.assign(store({ scopes: ['openid'] }), { getClaims: () => ({}) });
    await start({ model, features: [keys({ algorithms: ['RS256'] }), openid()] });
    expect(linesOf(warn)).toEqual([]);
  });

  it('is a warning: the grant `password`, if the store cannot verify passwords', async () => {
    const clients = [{ ...web, grants: ['password'] }];
    await start({ model: new MemoryStore({ clients, users: { findById: () => undefined } }) });
    expect(linesOf(warn)).toEqual([
      "The client `web` has the grant 'password', but every password is refused, because `users` of the store cannot verify one: implement " +
        '`findByCredentials()`, or remove the grant.',
    ]);
    warn.mockClear();
    await start({ model: new MemoryStore({ clients, users }) });
    expect(linesOf(warn)).toEqual([]);
  });
});

it('logs that an `interaction` replaces `pages()`', async () => {
  const interaction = { findUser() {}, login() {}, consent() {} };
  await start({ interaction, features: [pages()] });
  expect(linesOf(log)).toContain(
    'The option `interaction` replaces the login and consent of `pages()`: remove `interaction` to use the pages, or remove `pages()`.',
  );
  log.mockClear();
  await start({ interaction: undefined, features: [pages()] });
  await start({ interaction });
  expect(linesOf(log).join()).not.toContain('replaces');
});

it('rejects an unset client secret of a provider with the likely cause', () => {
  const unset = { clientId: 'app', clientSecret: undefined as never };
  expect(() => google(unset)).toThrow(/`clientSecret` of `google\(\)` must be a text.*A file that is loaded before/);
});

it('rejects attackLab() without an application', async () => {
  const message = 'the first argument of `attackLab()` is not a Nest application: pass the result of';
  await expect(attackLab(undefined as never)).rejects.toThrow(message);
  await expect(attackLab({ signIn: false } as never)).rejects.toThrow(message);
});
