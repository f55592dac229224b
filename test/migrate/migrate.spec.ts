import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vm from 'node:vm';

import { afterEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import * as engine from 'nest-oauth2/server';

import { GUIDE } from '../../packages/migrate/src/guide.js';
import { migrate as run, MigrationError, type MigrationResult } from '../../packages/migrate/src/migrate.js';

const root = join(import.meta.dirname, '../..');
const FIXTURES = join(import.meta.dirname, 'fixtures');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Creates a folder with the files of a fixture, or with the given files. */
function application(files: string | Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrate-'));
  folders.push(folder);
  if (typeof files === 'string') cpSync(join(FIXTURES, files, 'before'), folder, { recursive: true });
  else for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const migrate = (folder: string, ...[option]: ['--dry-run'?]) => run(folder, option !== undefined);

const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .toSorted()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8').replace('^VERSION', `^${version}`)]),
  );

const placesOf = ({ value }: MigrationResult) => value.notes.map(({ file, line, kind }) => `${kind} ${file}:${line}`);

/** Runs a CommonJS file with the sources of this package. */
function load(file: string): unknown {
  const require = createRequire(join(root, 'package.json'));
  const module = { exports: {} as unknown };
  const find = (name: string) => {
    if (name === 'nest-oauth2/server') return engine;
    if (!name.startsWith('.')) return require(name) as unknown;
    return load(createRequire(file).resolve(name));
  };
  const wrapper = `(function (require, module, exports) {${readFileSync(file, 'utf8')}\n})`;
  (vm.runInThisContext(wrapper) as (...args: unknown[]) => void)(find, module, module.exports);
  return module.exports;
}

async function listening<T>(app: unknown, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(app as RequestListener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const tokenRequest = (secret: string) => ({
  method: 'POST',
  body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'web', client_secret: secret }),
});

describe('nest-oauth2-migrate', () => {
  it.each<[string, string[]]>([
    ['commonjs', []],
    ['esm-typescript', ['check src/server.ts:13']],
    ['express', ['check lib/app.js:8']],
    ['nest', ['left src/notes.controller.ts:15', 'left src/notes.controller.ts:16']],
    [
      'mixed',
      ['left src/dynamic.js:1', 'left src/errors.mjs:3', 'left src/mock.spec.js:2', 'check src/mock.spec.js:3'],
    ],
  ])('rewrites the application %s as expected, and changes nothing when it runs again', async (name, places) => {
    const folder = application(name);
    expect(placesOf(await migrate(folder))).toEqual(places);
    const after = filesIn(folder);
    expect(after).toEqual(filesIn(join(FIXTURES, name, 'after')));
    expect((await migrate(folder)).value.changed).toEqual([]);
    expect(filesIn(folder)).toEqual(after);
  });

  it.each(['commonjs', 'esm-typescript', 'express', 'nest', 'mixed'])(
    'prints a diff of %s with --dry-run that git applies, and writes nothing',
    async (name) => {
      const folder = application(name);
      const before = filesIn(folder);
      const { value } = await migrate(folder, '--dry-run');
      expect(filesIn(folder)).toEqual(before);
      execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input: `${value.diff}\n` });
      expect(filesIn(folder)).toEqual(filesIn(join(FIXTURES, name, 'after')));
    },
  );

  it('leaves an application on oauth2-server that answers token requests', async () => {
    const folder = application('commonjs');
    await migrate(folder);
    await listening(load(join(folder, 'server.js')), async (url) => {
      const response = await fetch(`${url}/token`, tokenRequest('s3cret'));
      const { access_token: token } = (await response.json()) as { access_token: string };
      expect(response.status).toBe(200);
      const me = await fetch(`${url}/me`, { headers: { authorization: `Bearer ${token}` } });
      expect(await me.json()).toEqual({ id: 'machine' });
      expect(await (await fetch(`${url}/me`)).json()).toEqual({ missing: true });
    });
  });

  it('leaves an application on express-oauth-server that answers token requests', async () => {
    const folder = application('express');
    await migrate(folder);
    await listening(load(join(folder, 'lib/app.js')), async (url) => {
      const response = await fetch(`${url}/oauth/token`, tokenRequest('s3cret'));
      const { access_token: token } = (await response.json()) as { access_token: string };
      const secret = await fetch(`${url}/secret`, { headers: { authorization: `Bearer ${token}` } });
      expect(await secret.text()).toBe('Secret of machine');
      const missing = await fetch(`${url}/secret`);
      expect([missing.status, await missing.text()]).toEqual([401, '']);
      const refused = await fetch(`${url}/oauth/token`, tokenRequest('wrong'));
      expect([refused.status, await refused.json()]).toMatchObject([401, { error: 'invalid_client' }]);
    });
  });

  it('leaves a Nest application that issues tokens, without the decorators that it reports', async () => {
    const folder = application('nest');
    await migrate(folder);
    const controller = join(folder, 'src/notes.controller.ts');
    // The user rewrites what the command has left.
    const rest = readFileSync(controller, 'utf8')
      .replace(/^import .* from '@killmenot\/nestjs-oauth2-server';\n/m, '')
      .replace(/ {2}@Post\('renew'\)\n[^]*?\n {2}\}\n/, '');
    expect(rest).not.toContain('OAuth2RenewToken');
    writeFileSync(controller, rest);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const { AppModule } = (await import(join(folder, 'src/app.module.ts'))) as { AppModule: Type };
    const app = await NestFactory.create(AppModule, { logger: false });
    try {
      await app.listen(0, '127.0.0.1');
      const url = await app.getUrl();
      const notes = (token: string) =>
        fetch(`${url}/oauth/notes`, { headers: { authorization: `Bearer ${token}` } }).then(async (response) => ({
          status: response.status,
          body: (await response.json()) as object,
        }));
      const tokenFor = async (scope: string) => {
        const request = tokenRequest('s3cret');
        request.body.set('scope', scope);
        const response = await fetch(`${url}/oauth/token`, request);
        return (await response.json()) as { access_token: string; expires_in: number };
      };
      const token = await tokenFor('notes:read notes:list');
      expect(token.expires_in).toBe(900);
      expect(await notes(token.access_token)).toEqual({ status: 200, body: { id: 'machine' } });
      expect(await notes((await tokenFor('notes:read')).access_token)).toMatchObject({ status: 403 });
      expect(await notes('unknown')).toMatchObject({ status: 401 });
    } finally {
      await app.close();
    }
  });

  it('leaves files that it cannot read, parse or write, and keeps the old dependency', async () => {
    const outside = application({ 'other.js': "require('oauth2-server');" });
    const manifest = '{ "dependencies": { "oauth2-server": "^3.0.0" } }';
    const folder = application({
      'package.json': manifest,
      'broken.js': "const = require('oauth2-server');",
      'huge.js': `require('oauth2-server');${' '.repeat(2_000_000)}`,
      'latin.js': Buffer.from("require('oauth2-server'); // caf\xe9", 'latin1'),
      'locked.js': "const S = require('oauth2-server');",
    });
    chmodSync(join(folder, 'locked.js'), 0o444);
    symlinkSync(outside, join(folder, 'linked'));
    const result = await migrate(folder);
    expect(result.value.changed).toEqual([]);
    expect(result.value.notes.map(({ file, reason }) => `${file}: ${reason}`).toSorted()).toEqual([
      expect.stringMatching(/^broken.js: The file cannot be parsed: Unexpected token/),
      'huge.js: The file is larger than 2 MB. It was not read.',
      'latin.js: The file is not encoded as UTF-8.',
      'linked: A symbolic link leaves the folder. It was not followed.',
      'locked.js: The file is read-only.',
    ]);
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(manifest);
    expect(readFileSync(join(outside, 'other.js'), 'utf8')).toBe("require('oauth2-server');");
  });

  it('leaves applications on oauth2-server 2.x and koa-oauth-server, with links to the guide', async () => {
    const folder = application({
      'package.json': '{ "dependencies": { "oauth2-server": "^2.4.1", "koa-oauth-server": "1.0.1" } }',
      'app.js': "const a = require('oauth2-server');\nconst b = require('koa-oauth-server');\n",
    });
    const { value, lines } = await migrate(folder);
    expect(value.changed).toEqual([]);
    expect(value.notes.map(({ link }) => link)).toEqual([GUIDE.version2, GUIDE.koa]);
    expect(lines.at(-1)).toContain('docs/ are pages of the source repository');
  });

  it('has the version of the main package, which it adds to the dependencies', () => {
    const manifest = readFileSync(join(root, 'packages/migrate/package.json'), 'utf8');
    expect((JSON.parse(manifest) as { version: string }).version).toBe(version);
  });

  it('rejects a folder that does not exist', async () => {
    await expect(migrate('/nowhere')).rejects.toThrow(new MigrationError('There is no folder /nowhere'));
  });

  it('links only to sections of the guide that exist', () => {
    for (const link of Object.values(GUIDE)) {
      const [page, anchor] = link.split('#');
      const headings = [...readFileSync(join(root, page!), 'utf8').matchAll(/^#+ (.*)$/gm)];
      const anchors = headings.map(([, heading]) =>
        heading!
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
          .trim()
          .replaceAll(' ', '-'),
      );
      expect([undefined, ...anchors]).toContain(anchor);
    }
  });
});
