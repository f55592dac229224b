import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Clone, makeClone } from './clone.js';
import { findFolders } from './folders.js';
import { expectGuardedTools } from './guarded-tools.js';
import { JUDGES } from '../src/judges/mcp-client.js';
import { PageBrowser } from '../src/pages/page-browser.js';
import { isOurs, packagesOf, report } from './quick-start.js';
import { runScript, type Started, withStarted } from './start.js';

async function refusalOf({ url }: Started): Promise<string> {
  return (await fetch(`${url}/oauth/token`, { method: 'POST' })).text();
}

/** Returns the path of a redirect location. */
function pathOf(location: string | null): string {
  const { pathname, search } = new URL(location!);
  return pathname + search;
}

async function replaceIn(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}

const places = await findFolders();

/** Each case continues where the previous one ended. */
describe('a sample in a clean clone without compiler and install scripts', () => {
  let clone: Clone;

  beforeAll(async () => {
    clone = await makeClone('11', { npm_config_ignore_scripts: 'true' });
  });
  afterAll(async () => {
    await clone?.remove();
    await places.remove();
  });

  it.each([
    '02-migrated-model',
    '03-typeorm-postgres',
    '04-redis',
    '05-resource-server',
    '09-two-servers',
    '11-openid',
    '12-social-login',
    '15-device',
    '16-passport',
    '18-payments',
    '20-accounts',
  ])('starts with npm start alone: sample/%s', async (name) => {
    const settings = places.settingsOf(name);
    if (!settings) return;
    await withStarted(clone, `sample/${name}`, settings, async (sample) => {
      // Some samples must be called by `localhost` and print that name.
      const lines = sample.lines.map((line) => line.replace('//localhost:', '//127.0.0.1:'));
      expect(lines).toContain(`Listening on ${sample.url}. For requests to try, see README.md`);
      expect(await refusalOf(sample)).toContain('content must be application/x-www-form-urlencoded');
      report(`sample/${name}: ${packagesOf(sample)} packages, ${sample.milliseconds} ms`);
    });
  });

  it('introspects tokens at another server from the separate API of sample/05-resource-server', async () => {
    const where = 'sample/05-resource-server';
    await withStarted(clone, where, {}, async ({ url: issuer }) => {
      const callApi = async ({ url }: Started) => {
        const alice = { username: 'alice', password: 'wonderland', scope: 'notes:read' };
        const body = new URLSearchParams({ grant_type: 'password', ...alice });
        const headers = { authorization: `Basic ${btoa('demo:demo-secret')}` };
        const issued = await fetch(`${issuer}/oauth/token`, { method: 'POST', headers, body });
        const { access_token: token } = (await issued.json()) as { access_token: string };
        const notes = (authorization: string) => fetch(`${url}/notes`, { headers: { authorization } });
        expect(await (await notes(`Bearer ${token}`)).json()).toMatchObject({ user: '1', client: 'demo' });
        expect((await notes('Bearer unknown')).status).toBe(401);
      };
      await withStarted(clone, where, { ISSUER: issuer }, callApi, 'api');
    });
  });

  it('signs a user in with the device program of sample/15-device', async () => {
    const where = 'sample/15-device';
    await withStarted(clone, where, {}, async ({ url: issuer }) => {
      const device = runScript(clone, where, { ISSUER: issuer }, 'device');
      const code = await device.prints(/^Your code: (\S+)$/m);
      const userBrowser = new PageBrowser(issuer);
      await userBrowser.signIn('/oauth/login');
      const shown = await userBrowser.send(await userBrowser.get('/oauth/device'), { user_code: code });
      expect(shown.html).toContain('Notes in a terminal');
      await userBrowser.send(shown, { decision: 'allow' });
      expect(await device.prints(/^Signed in\. (.*)$/m)).toContain('"owner":"Alice Liddell"');
      expect(await device.ended).toBe(0);
    });
  });

  it('pays with the till of sample/18-payments after approval on a phone', async () => {
    const where = 'sample/18-payments';
    await withStarted(clone, where, {}, async ({ url: issuer }) => {
      const till = runScript(clone, where, { ISSUER: issuer }, 'pay');
      const shown = await till.prints(/^Check that it shows: (\d+)$/m);
      const telephone = new PageBrowser(issuer, { origin: issuer });
      const login = await telephone.get((await telephone.get('/phone')).location!);
      await telephone.send(login, { username: 'alice', password: 'wonderland' });
      const requested = await telephone.get('/phone');
      expect(requested.html).toContain(`<strong>${shown}</strong>`);
      expect(requested.html).toContain('14.50 EUR to The Hatter');
      await telephone.send(requested, { decision: 'pay' });
      expect(await till.prints(/^Paid\. (.*)$/m)).toBe('{"paid":["14.50 EUR to The Hatter"]}');
      expect(await till.ended).toBe(0);
      expect((await telephone.get('/phone')).html).toContain('No payments to approve.');
    });
  });

  it('signs a user in with Passport and lets a client read notes: sample/16-passport', async () => {
    await withStarted(clone, 'sample/16-passport', {}, async ({ url }) => {
      const browser = new PageBrowser(url, { origin: url });
      const requested = pathOf((await browser.get('/client')).location);
      const login = await browser.get((await browser.get(requested)).location!);
      const signedIn = await browser.send(login, { username: 'alice', password: 'wonderland' });
      const consent = await browser.get(signedIn.location!);
      const allowed = await browser.send(consent, { decision: 'allow' });
      expect((await browser.get(pathOf(allowed.location))).heading).toBe('Notes of Alice Liddell');
      expect((await browser.post('/login', {}, { origin: 'https://elsewhere.example' })).status).toBe(403);
    });
  });

  it.each(JUDGES.map((judge) => [judge.name, judge] as const))(
    'guards the tools of @rekog/mcp-nest by scope for %s: sample/19-mcp-nest',
    async (_name, judge) => {
      await withStarted(clone, 'sample/19-mcp-nest', {}, ({ url }) => expectGuardedTools(url, judge));
    },
  );

  const folder = 'sample/02-migrated-model';
  const listening = expect.stringMatching(/^Listening/);

  it('recompiles only changed files on the next start', async () => {
    const installs = await clone.countInstalls();
    await replaceIn(join(clone.folder, folder, 'src/main.ts'), 'For requests to try', 'For requests');
    await withStarted(clone, folder, {}, async ({ lines }) => {
      expect(lines.filter(isOurs)).toEqual([
        expect.stringMatching(/^Compiled the sample/),
        expect.stringMatching(/For requests, see README/),
      ]);
    });
    const endpoint = join(clone.folder, 'lib/endpoints/feature-endpoint.ts');
    await replaceIn(endpoint, 'content must be', 'content had better be');
    await withStarted(clone, folder, {}, async (changed) => {
      expect(changed.lines.filter(isOurs)).toEqual([expect.stringMatching(/^Compiled nest-oauth2/), listening]);
      expect(await refusalOf(changed)).toContain('content had better be');
    });
    expect(await clone.countInstalls()).toBe(installs);
  });

  it('installs again if the required version differs from the installed one', async () => {
    const installs = await clone.countInstalls();
    await replaceIn(join(clone.folder, folder, 'node_modules/.package-lock.json'), '"version": "7.', '"version": "6.');
    await withStarted(clone, folder, {}, async (again) => {
      expect(packagesOf(again)).toBeGreaterThan(50);
    });
    await withStarted(clone, folder, {}, async ({ lines }) => expect(lines.filter(isOurs)).toEqual([listening]));
    expect(await clone.countInstalls()).toBe(installs + 1);
  });
});
