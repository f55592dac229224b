import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type ConsentContext,
  type InteractionContext,
  type OAuth2Interaction,
  OAuth2Module,
  type OAuth2ModuleOptions,
} from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';
import { TABLES } from '../src/configuration/option-table.js';
import { PageBrowser } from './src/pages/page-browser.js';

const root = join(import.meta.dirname, '..');
const folder = join(import.meta.dirname, 'readme-snippets');

describe('the README and the guides that it links to', () => {
  let app: INestApplication;
  let issuer: oauth.AuthorizationServer;
  let origin: string;
  const insecure = { [oauth.allowInsecureRequests]: true };

  beforeAll(async () => {
    writeSnippets();
    const { AppModule } = (await import(join(folder, 'src/app.module.ts'))) as { AppModule: Type };
    app = await NestFactory.create(AppModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
    issuer = { issuer: origin, token_endpoint: `${origin}/oauth/token` };
  });

  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('contain code that compiles', () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const config = join(folder, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ extends: '../../tsconfig.json', include: ['src'], exclude: [] }));
    expect(execFileSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' })).toBe('');
  });

  it('name every option in docs/reference/options.md', () => {
    const [options] = readFileSync(join(root, 'docs/reference/options.md'), 'utf8').split(
      '## Requirements of a single call',
    );
    const named = options!
      .match(/^\|[^|]*\|/gm)
      ?.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    expect(named?.toSorted()).toEqual(Object.keys(TABLES.forRoot).toSorted());
  });

  it('have at most 120 lines in the README', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  it('contain an application in which a service gets a token and reads notes', async () => {
    const client = { client_id: 'my-service' };
    const secret = oauth.ClientSecretBasic('my-service-secret');
    const answer = await oauth.clientCredentialsGrantRequest(issuer, client, secret, { scope: 'notes:read' }, insecure);
    const { access_token: token } = await oauth.processClientCredentialsResponse(issuer, client, answer);
    const notes = await fetch(`${origin}/notes`, { headers: { authorization: `Bearer ${token}` } });

    expect(await notes.json()).toEqual({
      client: 'my-service',
      notes: ['Follow the white rabbit'],
    });
  });

  it('contain an application in which a user signs in and consents at the given URL', async () => {
    const client = { client_id: 'my-spa' };
    const named = /^http:\/\/localhost:3000(\/oauth\/authorize\S+)$/m.exec(
      readFileSync(join(root, 'README.md'), 'utf8'),
    );
    const browser = new PageBrowser(origin);
    const login = await browser.get(named![1]!);
    const returned = await browser.send(await browser.get(login.location!), {
      username: 'alice',
      password: 'wonderland',
    });
    const consent = await browser.get(returned.location!);
    expect(consent.html).toContain('Read your notes');
    const decided = await browser.send(consent, { decision: 'allow' });

    const parameters = oauth.validateAuthResponse(issuer, client, new URL(decided.location!));
    const answer = await oauth.authorizationCodeGrantRequest(
      issuer,
      client,
      oauth.None(),
      parameters,
      'http://127.0.0.1:3000/callback',
      'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', // RFC 7636 Appendix B
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(issuer, client, answer);
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'notes:read' });
  });

  it('link to every sample', () => {
    const page = readFileSync(join(root, 'docs/start/samples.md'), 'utf8');
    const samples = readdirSync(join(root, 'sample')).filter((name) => /^\d/.test(name));
    expect(samples.filter((name) => !page.includes(`](../../sample/${name})`))).toEqual([]);
  });

  it('contain a sign-up page that signs a new user in and continues the authorization request', async () => {
    process.env.OAUTH2_SECRET = 'of 32 characters at the very least';
    const { AppModule } = (await import(join(folder, 'src/sign-up/app.module.ts'))) as { AppModule: Type };
    const own = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
    await own.listen(0, '127.0.0.1');
    const browser = new PageBrowser(await own.getUrl());
    const parameters = { response_type: 'code', client_id: 'notes', scope: 'notes:read', state: 'xyz' };
    const login = await browser.get(
      (await browser.get(`/oauth/authorize?${new URLSearchParams(parameters).toString()}`)).location!,
    );
    const link = /href="(\/sign-up[^"]*)"/.exec(login.html)![1]!.replaceAll('&amp;', '&');
    const short = await browser.send(await browser.get(link), { username: 'carol', password: 'short' });
    expect(short.html).toContain('at least 8 characters');
    const signedUp = await browser.send(short, { username: 'carol', password: 'looking-glass' });
    expect([signedUp.status, signedUp.location]).toEqual([303, expect.stringContaining('/oauth/authorize?')]);
    const consent = await browser.get(signedUp.location!);
    expect([consent.heading, consent.html.includes('carol')]).toEqual(['Allow access?', true]);
    const taken = await browser.send(await browser.get('/sign-up'), { username: 'carol', password: 'looking-glass' });
    expect(taken.html).toContain('This username is taken.');
    await own.close();
  });

  it('contain a second factor with which an application starts', async () => {
    const secret = 'of 32 characters at the very least';
    process.env.OAUTH2_SECRET = secret;
    const { features } = (await import(join(folder, 'src/features.ts'))) as Pick<OAuth2ModuleOptions, 'features'>;
    const users = { findByCredentials: () => null, findById: () => null };
    const model = Object.assign(new MemoryStore({ clients: [], users }), { getClaims: () => ({}) });
    const { MailedCodes } = (await import(join(folder, 'src/codes-by-mail.ts'))) as { MailedCodes: new () => object };
    const extraProviders = [{ provide: MailedCodes, useValue: {} }];
    const module = OAuth2Module.forRoot({ model, issuer: 'http://localhost:3000', secret, features, extraProviders });
    const second = await NestFactory.create(module, { logger: false, abortOnError: false });
    await second.listen(0, '127.0.0.1');
    expect((await fetch(`${await second.getUrl()}/oauth/second_factor`)).status).toBeLessThan(500);
    await second.close();
  });

  it('contain an interaction that redirects to a login page and escapes its output', async () => {
    const { LoginAndConsent } = (await import(join(folder, 'src/login-and-consent.ts'))) as {
      LoginAndConsent: new () => OAuth2Interaction;
    };
    const interaction = new LoginAndConsent();
    const context = { returnTo: '/oauth/authorize?a=1&b=2' } as InteractionContext;
    expect(await interaction.login(context)).toEqual({
      redirect: '/login?return_to=%2Foauth%2Fauthorize%3Fa%3D1%26b%3D2',
    });
    const requested = { authorization: { client: { id: '<script>', grants: [] } }, action: '/a?b&c', csrfToken: 'x"y' };
    const shown = await interaction.consent({ id: '1' }, requested as unknown as ConsentContext);
    expect(shown).toEqual({ html: expect.stringContaining('May &lt;script&gt; use your account?') });
    expect(shown).toEqual({ html: expect.stringContaining('value="x&quot;y"') });
  });
});

/**
 * Writes each complete file among the code blocks, which starts with its name. The package tests use those of the
 * README in new applications.
 */
function writeSnippets(): void {
  expect(writeSnippetsOf('README.md')).toEqual(['src/app.module.ts']);
  expect(writeSnippetsOf('docs/reference/engine.md')).toEqual(['src/engine.ts']);
  expect(writeSnippetsOf('docs/reference/features/sessions.md')).toEqual([
    'src/sign-up/users.ts',
    'src/sign-up/sign-up.controller.ts',
    'src/sign-up/app.module.ts',
  ]);
  const secondFactor = writeSnippetsOf('docs/reference/features/second-factor.md');
  expect(secondFactor).toEqual(['src/codes-by-mail.ts', 'src/features.ts']);
  expect(writeSnippetsOf('docs/reference/features/own-interaction.md')).toEqual(['src/login-and-consent.ts']);
  expect(writeSnippetsOf('docs/reference/stores.md')).toEqual(['src/users.service.ts']);
}

function writeSnippetsOf(page: string): string[] {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n\/\/ (\S+\.ts)\n(.*?)^```$/gms);
  return [...blocks].map(([, name, code]) => {
    mkdirSync(dirname(join(folder, name!)), { recursive: true });
    writeFileSync(join(folder, name!), code!);
    return name!;
  });
}
