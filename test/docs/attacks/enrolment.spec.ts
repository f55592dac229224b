import { createHash, randomBytes } from 'node:crypto';

import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import session from 'express-session';
import libsql from 'libsql';
import type { INestApplication } from '@nestjs/common';
import { OAuth2Module, type User } from 'nest-oauth2';
import { pages, type SecondFactor } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';

import { type ShownPage, PageBrowser } from '../../src/pages/page-browser.js';
import { SECRET } from '../../support/demo.js';
import { startApplication, stopApplications } from '../../support/test-application.js';
import { GuideCode, provide } from './guide-code.js';

/** Seconds for which a code is valid. RFC 6238 */
const STEP = 30;

/** The code that an app shows for a secret: of the same shape as TOTP, computed in a shorter way. */
function codeOf(secret: string, timeStep = Math.floor(Date.now() / 1000 / STEP)): string {
  const number = createHash('sha256').update(`${secret} ${timeStep}`).digest().readUInt32BE();
  return String(number % 1_000_000).padStart(6, '0');
}

interface Verified {
  token: string;
  secret: string;
  afterTimeStep?: number;
}

/** The functions of otplib that the guide uses. */
const otplib = {
  generateSecret: () => randomBytes(20).toString('hex'),
  generateURI: ({ secret }: { secret: string }) => `otpauth://totp/Wonderland?secret=${secret}`,
  async verify({ token, secret, afterTimeStep = 0 }: Verified) {
    const now = Math.floor(Date.now() / 1000 / STEP);
    const timeStep = [now - 1, now, now + 1].find((step) => step > afterTimeStep && codeOf(secret, step) === token);
    return timeStep === undefined ? { valid: false } : { valid: true, timeStep };
  },
};
/** The passkey that the device of a thief creates. The guide leaves its verification to the package. */
const webauthn = {
  generateRegistrationOptions: async () => ({ challenge: 'challenge' }),
  verifyRegistrationResponse: async () => ({
    verified: true,
    registrationInfo: { credential: { id: 'passkey', publicKey: Buffer.from('key'), counter: 0 } },
  }),
};

/** A provider that signs everybody in as the thief. */
const provider = {
  discovery: async () => ({}),
  Configuration: class {},
  randomPKCECodeVerifier: () => 'verifier',
  randomState: () => 'state',
  calculatePKCECodeChallenge: async () => 'challenge',
  buildAuthorizationUrl: () => new URL('https://provider.example/authorize'),
  authorizationCodeGrant: async () => ({
    claims: () => ({ iss: 'https://provider.example', sub: 'thief', name: 'Thief' }),
  }),
};
provide({
  otplib,
  qrcode: { toString: async () => '<svg></svg>' },
  '@simplewebauthn/server': webauthn,
  'openid-client': provider,
});

const guide = GuideCode.write('enrolment', ['docs/guides/second-factor.md']);
afterAll(() => guide.remove());

type Class<T = object> = new (...injected: never[]) => T;
type Entities = Record<'Authenticator' | 'Enrolment' | 'RecoveryCode', EntityTarget<ObjectLiteral>>;

const alice = { id: '1', email: 'alice@example.com' };
const users = {
  findById: (id: string): User | false => id === alice.id && alice,
  findByCredentials: (_name: string, password: string): User | false => password === 'wonderland' && alice,
};

const SQLITE = { type: 'better-sqlite3', driver: libsql, database: ':memory:', synchronize: true } as const;

/** Lets a time pass that is longer than a login is recent. */
function waitUntilLoginIsOld(): void {
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + 400_000);
}

describe('enrolment of a second factor by a thief, in docs/guides/second-factor.md', () => {
  let db: DataSource;
  let app: SecondFactor;
  afterEach(async () => {
    jest.restoreAllMocks();
    await stopApplications();
    await db.destroy();
  });

  /** Starts the application of the guide. The returned function signs a browser in with the password. */
  async function start() {
    const { AuthenticatorApp, ...entities } = await guide.import<
      Entities & { AuthenticatorApp: new (db: DataSource) => SecondFactor }
    >('src/authenticator-app.ts');
    const { SecondFactorController } = await guide.import<{ SecondFactorController: Class }>(
      'src/second-factor.controller.ts',
    );
    const tables = [entities.Authenticator, entities.Enrolment, entities.RecoveryCode] as (() => object)[];
    db = await new DataSource({ ...SQLITE, entities: tables }).initialize();
    app = new AuthenticatorApp(db);
    const { url } = await startApplication('express', {
      imports: [
        OAuth2Module.forRoot({
          model: new MemoryStore({ users }),
          secret: SECRET,
          features: [pages({ secondFactor: { by: app, recoveryCodes: true } })],
        }),
      ],
      controllers: [SecondFactorController],
      providers: [{ provide: AuthenticatorApp, useValue: app }],
    });
    return async () => {
      const browser = new PageBrowser(url);
      await browser.signIn('/oauth/login?return_to=/second-factor');
      return browser;
    };
  }

  const secretOn = ({ html }: ShownPage) => /<code>(\w+)<\/code>/.exec(html)?.[1] ?? '';
  const open = async (browser: PageBrowser) => secretOn(await browser.get('/second-factor'));
  const confirm = (browser: PageBrowser, secret: string) =>
    browser.post('/second-factor', { code: codeOf(secret) }).then(({ html }) => html.includes('recovery codes'));

  it('shows a new secret each time, so that a thief who opened the page does not know the one of the owner', async () => {
    const signIn = await start();
    const [thief, owner] = [await signIn(), await signIn()];
    const seen = await open(thief);
    const secret = await open(owner);
    expect(secret).not.toBe('');
    expect(secret).not.toBe(seen);
    expect(await open(owner)).not.toBe(secret);
  });

  it('accepts the secret only in the session that opened the page, and only once', async () => {
    const signIn = await start();
    const [thief, owner] = [await signIn(), await signIn()];
    const seen = await open(thief);
    const first = await open(owner);
    const secret = await open(owner);
    for (const [browser, known] of [
      [thief, seen],
      [thief, secret],
      [owner, seen],
      [owner, first],
    ] as const)
      expect(await confirm(browser, known)).toBe(false);
    expect(await app.isEnrolled(alice)).toBe(false);
    expect(await confirm(owner, secret)).toBe(true);
    expect(await app.isEnrolled(alice)).toBe(true);
    for (const browser of [thief, owner]) expect(await confirm(browser, secret)).toBe(false);
    for (const known of [seen, first]) expect(await app.verify(alice, codeOf(known))).toBe(false);
  });

  it('does not show a secret to a thief of an old session', async () => {
    const signIn = await start();
    const stolen = await signIn();
    const secret = await open(stolen);
    waitUntilLoginIsOld();
    const page = await stolen.get('/second-factor');
    expect(page).toMatchObject({ status: 302, location: expect.stringContaining('prompt=login') });
    expect(await confirm(stolen, secret)).toBe(false);
    const { location } = await stolen.signIn(page.location!);
    expect(location).toBe('/second-factor');
    expect(await confirm(stolen, await open(stolen))).toBe(true);
  });
});

describe('enrolment of a passkey by a thief, in docs/guides/passkeys.md', () => {
  const code = GuideCode.write('enrolment-passkeys', ['docs/guides/passkeys.md'], {
    'src/users.service.ts': 'export class UsersService {}',
  });
  afterAll(() => code.remove());
  let db: DataSource;
  afterEach(async () => {
    jest.restoreAllMocks();
    await stopApplications();
    await db.destroy();
  });

  it('rejects a passkey in a stolen session that is old, and accepts one after a login', async () => {
    const { PasskeysController, Passkey } = await code.import<{
      PasskeysController: Class;
      Passkey: EntityTarget<ObjectLiteral>;
    }>('src/passkeys.controller.ts');
    const { UsersService } = await code.import<{ UsersService: Class }>('src/users.service.ts');
    db = await new DataSource({ ...SQLITE, entities: [Passkey as () => object] }).initialize();
    const prepare = (app: INestApplication) =>
      app.use(session({ secret: SECRET, resave: false, saveUninitialized: false }));
    const model = new MemoryStore({ users });
    const module = {
      imports: [OAuth2Module.forRoot({ model, secret: SECRET, features: [pages()] })],
      controllers: [PasskeysController],
      providers: [
        { provide: UsersService, useValue: users },
        { provide: DataSource, useValue: db },
      ],
    };
    const { url } = await startApplication('express', module, { prepare });
    const stolen = new PageBrowser(url);
    await stolen.signIn('/oauth/login?return_to=/passkeys');
    expect(await stolen.get('/passkeys')).toMatchObject({ status: 200, html: expect.stringContaining('id="add"') });
    waitUntilLoginIsOld();
    for (const path of ['/passkeys/add/options', '/passkeys/add'])
      expect(await stolen.post(path, {})).toMatchObject({ status: 403 });
    const page = await stolen.get('/passkeys');
    expect(page.html).not.toContain('id="add"');
    expect(await db.manager.count(Passkey)).toBe(0);
    await stolen.signIn(/href="(\/oauth\/login[^"]*)"/.exec(page.html)![1]!.replaceAll('&amp;', '&'));
    await stolen.post('/passkeys/add/options', {});
    expect(await stolen.post('/passkeys/add', {})).toMatchObject({ status: 201 });
    expect(await db.manager.count(Passkey)).toBe(1);
  });
});
