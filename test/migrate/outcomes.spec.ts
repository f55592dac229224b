import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, describe, expect, it } from '@jest/globals';

import { migrate as migrateFolder } from '../../packages/migrate/src/migrate.js';

const root = join(import.meta.dirname, '../..');
const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrate-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

async function migrate(folder: string) {
  const { value, lines, isFailed } = await migrateFolder(folder, false);
  return { ...value, output: lines.join('\n'), isFailed };
}

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', '-C', folder, ...args]);

const WRAPPED = `import OAuthServer from 'express-oauth-server';
export const oauth = new OAuthServer({ model: {} as never });
`;
const moduleOf = (options: string) => `import { OAuth2ServerModule } from 'nest-oauth2-server';
export const imported = OAuth2ServerModule.forRootAsync(${options});
`;
const NEST_5 = '{ "dependencies": { "nest-oauth2-server": "^2.0.1", "@node-oauth/oauth2-server": "^5.2.0" } }';

describe('nest-oauth2-migrate', () => {
  it.each([
    ['server.ts', '{ "type": "module" }', './express-oauth-server.js'],
    ['server.ts', '{ "type": "commonjs" }', './express-oauth-server'],
    ['server.mts', '{}', './express-oauth-server.mjs'],
    ['server.cts', '{ "type": "module" }', './express-oauth-server.cjs'],
  ])(
    'imports the middleware into %s without relative imports in the package %s as %s',
    async (file, manifest, name) => {
      const folder = folderWith({ 'package.json': manifest, [file]: WRAPPED });
      await migrate(folder);
      expect(readFileSync(join(folder, file), 'utf8')).toContain(`from '${name}';`);
    },
  );

  it('reports a failed write, names the file and keeps the old dependency', async () => {
    // The name of the temporary file exceeds the limit of the file system.
    const long = `${'a'.repeat(240)}.js`;
    const manifest = '{ "dependencies": { "oauth2-server": "^3.0.0" } }';
    const folder = folderWith({ 'package.json': manifest, [long]: "const S = require('oauth2-server');" });
    const { isFailed, output, changed } = await migrate(folder);
    expect({ isFailed, changed }).toEqual({ isFailed: true, changed: [] });
    expect(output).toContain(`Not written:\n  ${long}  The file cannot be written: ENAMETOOLONG`);
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(manifest);
  });

  it('warns outside of a repository and about uncommitted changes, and not in a clean repository', async () => {
    const folder = folderWith({ 'app.js': "const S = require('oauth2-server');" });
    expect((await migrate(folder)).warning).toContain('not in a git repository');
    git(folder, 'init', '-q');
    expect((await migrate(folder)).warning).toContain('uncommitted changes');
    git(folder, 'add', '.');
    git(folder, 'commit', '-q', '-m', 'init');
    expect((await migrate(folder)).warning).toBeUndefined();
  });

  it('keeps scopes as arrays in forRootAsync() of nest-oauth2-server', async () => {
    const text = moduleOf('{ useFactory: async (model: object) => ({ model }), inject: [] }');
    const folder = folderWith({ 'package.json': NEST_5, 'app.ts': text });
    expect((await migrate(folder)).notes).toEqual([]);
    expect(readFileSync(join(folder, 'app.ts'), 'utf8')).toContain(
      "OAuth2Module.forRootAsync({ useFactory: async (model: object) => ({ model, scopeFormat: 'array' }), inject: [], isGlobal: true })",
    );
  });

  it.each(['{ useFactory: () => load() }', '{ useFactory: () => ({}) }', '{}'])(
    'leaves forRootAsync(%s), whose model is not known',
    async (options) => {
      const text = moduleOf(options);
      const folder = folderWith({ 'package.json': NEST_5, 'app.ts': text });
      expect((await migrate(folder)).notes).toMatchObject([{ kind: 'left', file: 'app.ts', line: 2 }]);
      expect(readFileSync(join(folder, 'app.ts'), 'utf8')).toBe(text);
    },
  );

  it('asks to check the class of forRootAsync({ useClass })', async () => {
    const folder = folderWith({ 'package.json': NEST_5, 'app.ts': moduleOf('{ useClass: Options }') });
    expect((await migrate(folder)).notes).toMatchObject([{ kind: 'check', line: 2 }]);
  });

  it('leaves a guard of nest-oauth2-server whose route takes @OAuth2ServerOAuth()', async () => {
    const text = `import { OAuth2ServerAuthenticate, OAuth2ServerOAuth } from 'nest-oauth2-server';
export class Me {
  @OAuth2ServerAuthenticate()
  me(@OAuth2ServerOAuth() oauth: object) { return oauth; }
}
`;
    const folder = folderWith({ 'package.json': NEST_5, 'me.ts': text });
    expect((await migrate(folder)).notes.map(({ line }) => line)).toEqual([3, 4]);
    expect(readFileSync(join(folder, 'me.ts'), 'utf8')).toBe(text);
  });

  it('escapes the name of a folder in the module name that it writes', async () => {
    const folder = folderWith({
      'package.json': '{}',
      "a'+b/one.js": "const A = require('express-oauth-server');",
      'z/two.js': "const A = require('express-oauth-server');",
    });
    await migrate(folder);
    expect(readFileSync(join(folder, 'z/two.js'), 'utf8')).toContain(String.raw`'../a\'+b/express-oauth-server'`);
  });

  it('writes TypeScript that compiles', async () => {
    const folder = folderWith({});
    for (const name of ['esm-typescript', 'nest']) {
      cpSync(join(import.meta.dirname, 'fixtures', name, 'before'), join(folder, name), { recursive: true });
      await migrate(join(folder, name));
    }
    mkdirSync(join(folder, 'express'));
    writeFileSync(join(folder, 'express/package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'express/server.ts'), WRAPPED);
    await migrate(join(folder, 'express'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    // The routes of the endpoints stay on the old package, which is not installed here.
    writeFileSync(join(folder, 'old.d.ts'), "declare module '@killmenot/nestjs-oauth2-server';");
    const compilerOptions = { verbatimModuleSyntax: false, isolatedModules: false, emitDecoratorMetadata: true };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['.'], exclude: ['node_modules'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const run = () => execFileSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
    let errors = '';
    try {
      run();
    } catch (error) {
      errors = (error as { stdout: string }).stdout;
    }
    expect(errors).toBe('');
  }, 60_000);
});
