import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import * as oauth from 'oauth4webapi';
import { freePort } from './support/environment/free-port.js';
import { basic, bearer, get, post, readResponse } from './support/clients/http.js';
import { allowingUser } from './src/judges/allowing-user.js';

const root = join(import.meta.dirname, '..');
const folder = join(import.meta.dirname, 'tutorials');
const NOTES = ['Follow the white rabbit'];

/** The files of a new Nest application that the tutorials keep. */
const NEW_APPLICATION = {
  'src/app.controller.ts': `import { Controller } from '@nestjs/common';\n@Controller()\nexport class AppController {}\n`,
  'src/app.service.ts': `export class AppService {}\n`,
};

/** The tutorials that continue one application, in their order. */
const TUTORIALS = ['first-server', 'protect-a-route', 'browser-sign-in', 'mcp-server'] as const;

/** The features that work after a tutorial, and after each later one. */
const RESULTS: Readonly<Record<(typeof TUTORIALS)[number], (url: string, cwd: string) => Promise<void>>> = {
  'first-server': async (url) => {
    expect(await tokenOfService(url)).toEqual(expect.any(String));
  },

  'protect-a-route': async (url) => {
    const notes = await readResponse(get(`${url}/notes`, bearer(await tokenOfService(url))));
    expect([notes.status, notes.body]).toEqual([200, { client: 'backup', notes: NOTES }]);
  },

  'browser-sign-in': async (url) => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const redirectUri = 'http://localhost:5173/';
    const client = { client_id: 'web' };
    const issuer = await oauth.processDiscoveryResponse(
      new URL(url),
      await oauth.discoveryRequest(new URL(url), insecure),
    );
    const verifier = oauth.generateRandomCodeVerifier();
    const request = new URL(issuer.authorization_endpoint!);
    request.search = new URLSearchParams({
      response_type: 'code',
      ...client,
      redirect_uri: redirectUri,
      scope: 'openid profile notes:read',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const response = oauth.validateAuthResponse(issuer, client, await allowingUser(url).browse(request));
    const redeemed = await oauth.authorizationCodeGrantRequest(
      issuer,
      client,
      oauth.None(),
      response,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(issuer, client, redeemed);
    const repeated = await oauth.refreshTokenGrantRequest(
      issuer,
      client,
      oauth.None(),
      tokens.refresh_token!,
      insecure,
    );
    const refreshed = await oauth.processRefreshTokenResponse(issuer, client, repeated);
    for (const { access_token } of [tokens, refreshed]) {
      const notes = await readResponse(get(`${url}/notes`, bearer(access_token)));
      expect([notes.status, notes.body]).toEqual([200, { client: 'web', user: '1', notes: NOTES }]);
      const userinfo = await readResponse(get(issuer.userinfo_endpoint!, bearer(access_token)));
      expect(userinfo.body).toMatchObject({ name: 'Alice' });
    }
  },

  'mcp-server': async (_url, cwd) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['call-tools.mjs'], { cwd });
    expect(stdout).toContain('Tools: list_notes, add_note\nNotes: Follow the white rabbit\nadd_note: Invalid scope');
  },
};

/** The tutorials in the tests of the package run npm as well, but not in each test run. */
describe('the tutorials, followed one after another in one application', () => {
  let app: INestApplication | undefined;

  beforeAll(() => rmSync(folder, { recursive: true, force: true }));
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(TUTORIALS.map((name, index) => [name, TUTORIALS.slice(0, index + 1)] as const))(
    'start after %s, and everything from the previous tutorials still works',
    async (name, followed) => {
      const cwd = join(folder, name);
      for (const [file, text] of Object.entries(NEW_APPLICATION)) write(cwd, file, text);
      // Each application has a port of its own, because a connection to the previous one may be kept alive.
      const port = await freePort();
      const url = `http://localhost:${port}`;
      for (const one of followed) {
        for (const [file, text] of filesOf(one)) write(cwd, file, text.replaceAll('http://localhost:3000', url));
      }
      await app?.close();
      const { AppModule } = (await import(join(cwd, 'src/app.module.ts'))) as { AppModule: Type };
      app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
      await app.listen(port);
      for (const one of followed) await expect(RESULTS[one](url, cwd)).resolves.toBeUndefined();
    },
    60_000,
  );
});

/** Returns an access token of the client `backup`. */
async function tokenOfService(url: string): Promise<string> {
  const form = { grant_type: 'client_credentials', scope: 'notes:read' };
  const { body } = await readResponse(post(`${url}/oauth/token`, form, basic('backup', 'backup-secret')));
  return (body as { access_token: string }).access_token;
}

/** Returns the TypeScript files in `src` and the JavaScript programs of a tutorial. */
function filesOf(name: string): (readonly [file: string, text: string])[] {
  const page = readFileSync(join(root, `docs/start/${name}.md`), 'utf8');
  const blocks = page.matchAll(/^```(?:ts|js)\n\/\/ ((?:src\/)?[\w.-]+\.m?[jt]s)\n(.*?)^```$/gms);
  return [...blocks].map(([, file, text]) => [file!, text!] as const);
}

function write(cwd: string, file: string, text: string): void {
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  writeFileSync(join(cwd, file), text);
}
