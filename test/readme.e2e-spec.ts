import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OAUTH2_INTERACTION, type InteractionContext, type OAuth2Interaction } from 'nest-oauth2';
import * as oauth from 'oauth4webapi';
import { TABLES } from '../src/configuration/option-table.js';

const root = join(import.meta.dirname, '..');
const folder = join(import.meta.dirname, 'readme-snippets');

describe('what a reader copies from the README', () => {
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

  it('compiles', () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const config = join(folder, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ extends: '../../tsconfig.json', include: ['src'] }));
    expect(execFileSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' })).toBe('');
  });

  it('names every option', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const options = readme.slice(readme.indexOf('## Options'), readme.indexOf('## The engine alone'));
    const named = options
      .match(/^\|[^|]*\|/gm)
      ?.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    expect(named?.toSorted()).toEqual(Object.keys(TABLES.forRoot).toSorted());
  });

  it('is an application whose service gets a token and reads notes', async () => {
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

  it('is an application that takes a stranger to the login page, which can bring them back', async () => {
    const interaction = app.get<OAuth2Interaction>(OAUTH2_INTERACTION, { strict: false });
    const redirect = '/login?return_to=%2Foauth%2Fauthorize%3Fa%3D1%26b%3D2';
    const context = { returnTo: '/oauth/authorize?a=1&b=2' } as InteractionContext;
    expect(await interaction.login(context)).toEqual({ redirect });
  });

  it('is an application whose user agrees to an application in the browser', async () => {
    const client = { client_id: 'my-spa' };
    const redirectUri = 'http://127.0.0.1:5555/callback';
    const verifier = oauth.generateRandomCodeVerifier();
    const page = new URL(`${origin}/oauth/authorize`);
    page.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'notes:read',
      state: 'abc',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();

    const consent = await (await fetch(page)).text();
    const ticket = /name="ticket" value="([^"]+)"/.exec(consent)?.[1] ?? '';
    const body = new URLSearchParams({ ticket, decision: 'allow' });
    const decided = await fetch(page, { method: 'POST', body, redirect: 'manual' });

    const callback = new URL(decided.headers.get('location') ?? '');
    const parameters = oauth.validateAuthResponse(issuer, client, callback, 'abc');
    const answer = await oauth.authorizationCodeGrantRequest(
      issuer,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(issuer, client, answer);
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'notes:read' });
  });
});

/** Each whole file among the blocks begins with its name. The package tests paste those of the README into fresh hosts. */
function writeSnippets(): void {
  expect(writeSnippetsOf('README.md')).toEqual(['src/app.module.ts', 'test/app.e2e-spec.ts', 'src/engine.ts']);
  expect(writeSnippetsOf('docs/stores.md')).toEqual(['src/users.service.ts']);
}

function writeSnippetsOf(page: string): string[] {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n\/\/ (\S+\.ts)\n(.*?)^```$/gms);
  return [...blocks].map(([, name, code]) => {
    mkdirSync(dirname(join(folder, name!)), { recursive: true });
    writeFileSync(join(folder, name!), code!);
    return name!;
  });
}
