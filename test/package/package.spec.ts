import { mkdtemp, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { copiesOf, freshApplication, root, run, tarball, tool, workspace } from './applications.js';

/** Returns whether a file or one that it imports at once requires Nest. */
async function loadsNest(file: string, seen = new Set<string>()): Promise<boolean> {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = await readFile(file, 'utf8');
  const pattern =
    /^(?:(?:import|export|let|const|var)\b.*?(?:\bfrom |\brequire\()|import |require\()["']([^"']+)["']/gm;
  const imported = [...text.matchAll(pattern)].map(([, name]) => name!);
  if (imported.some((name) => name.startsWith('@nestjs/'))) return true;
  const own = imported.filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name));
  for (const next of own) if (await loadsNest(next, seen)) return true;
  return false;
}

describe('the packed tarball', () => {
  const check = (path: string) => run(root, 'node', '.ci/tarball.js', path);

  it('contains the files of all entries and nothing else, and is not larger than its limits', async () => {
    await expect(check(tarball)).resolves.toMatch(/^\d+ files, packed \d+ bytes, unpacked \d+ bytes\n$/);
  });

  it('is not accepted if files are missing or superfluous', async () => {
    const folder = await mkdtemp(join(workspace, 'incomplete-'));
    await run(folder, 'tar', '-xf', tarball);
    await rename(join(folder, 'package/dist/esm/server.d.ts'), join(folder, 'package/server.d.ts'));
    const incomplete = join(folder, 'incomplete.tgz');
    await run(folder, 'tar', '-czf', incomplete, 'package');
    await expect(check(incomplete)).rejects.toThrow(
      /^server\.d\.ts does not belong in the package\.\npackage\.json names dist\/esm\/server\.d\.ts/m,
    );
  });

  it('declares each class of the engine once, for both formats', async () => {
    const folder = await mkdtemp(join(workspace, 'types-'));
    await run(folder, 'tar', '-xf', tarball);
    const types = join(folder, 'package/dist/cjs');
    const reference = await readFile(join(folder, 'package/dist/esm/shared/engine.d.ts'), 'utf8');
    expect(reference).toBe("export * from '../../cjs/shared/engine.js';\n");
    const files = (await readdir(types, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
    const texts = await Promise.all(files.map((file) => readFile(join(types, file), 'utf8')));
    const classes = texts.flatMap((text) => text.match(/^declare (?:abstract )?class \w+/gm) ?? []);
    const names = classes.map((line) => line.split(' ').at(-1));
    expect(names).toContain('OAuth2Server');
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it.each(['esm', 'cjs'])('loads Nest in the entries for Nest applications only, in format %s', async (format) => {
    const folder = await mkdtemp(join(workspace, 'code-'));
    await run(folder, 'tar', '-xf', tarball);
    const code = join(folder, 'package/dist', format);
    const files = await readdir(code, { recursive: true });
    const entries = files.filter((file) => file.endsWith('.js') && !file.startsWith('shared'));
    const withNest: string[] = [];
    for (const entry of entries) if (await loadsNest(join(code, entry))) withNest.push(entry.replace('.js', ''));
    const expected = ['accounts', 'cqrs', 'event-emitter', 'index', 'pages', 'report', 'swagger', 'upstreams'];
    expect(withNest.filter((entry) => entry !== 'schematics').toSorted()).toEqual(expected);
  });

  it('keeps the doc comments of declarations', async () => {
    const text = await run(workspace, 'tar', '-xOf', tarball, 'package/dist/cjs/shared/engine.d.ts');
    expect(text).toMatch(/An OAuth 2\.0 server that uses the model[^/]+\*\/\ndeclare class OAuth2Server</);
  });

  it('names the source of the code, and keeps names and line breaks for stack traces', async () => {
    const text = await run(workspace, 'tar', '-xOf', tarball, 'package/dist/cjs/shared/engine.js');
    expect(text).toMatch(/^\/\/ lib\/server\/server\.ts$/m);
    expect(text).toMatch(/^class OAuth2Server |^var OAuth2Server = class|^let OAuth2Server = class/m);
  });

  it('satisfies publint', async () => {
    await expect(run(root, tool('publint'), 'run', tarball, '--strict')).resolves.toContain('All good!');
  });

  it('has correct types for every way to resolve it', async () => {
    await expect(run(root, tool('attw'), tarball, '--no-emoji', '--no-color')).resolves.toContain('No problems found');
  });
});

describe('the packed engine in an application without Nest', () => {
  let host: string;

  beforeAll(async () => {
    host = await freshApplication();
  });

  it('is the only package that npm installs', async () => {
    const installed = await readdir(join(host, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['nest-oauth2']);
  });

  it.each(['engine.mjs', 'engine.cjs'])('issues a token in %s', async (program) => {
    expect(JSON.parse(await run(host, 'node', program))).toEqual({ status: 200, token_type: 'Bearer' });
  });

  it.each(['contract.mjs', 'contract.cjs'])('checks a model with the model contract in %s', async (program) => {
    expect(JSON.parse(await run(host, 'node', program))).toEqual({ ok: true, codes: 'atomic' });
  });

  it('type-checks the engine in files of both formats', async () => {
    const files = await copiesOf(host, 'engine-types');
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node', '--skipLibCheck', 'false'];
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', ...types];
    await expect(run(host, tool('tsc'), ...flags, ...files)).resolves.toBe('');
  });

  it.each(["import('nest-oauth2')", "require('nest-oauth2')"])('reports that %s requires Nest', async (statement) => {
    await expect(run(host, 'node', '-e', statement)).rejects.toThrow(/Cannot find (package|module) '@nestjs\/common'/);
  });
});

describe('the packed package in an application that signs tokens', () => {
  let host: string;

  beforeAll(async () => {
    host = await freshApplication('jose@6', '@types/node@20');
  });

  it.each(['jose-main.mjs', 'jose-main.cjs'])('issues and verifies JWT access tokens in %s', async (program) => {
    expect(JSON.parse(await run(host, 'node', program))).toEqual({ client: 'demo', iss: 'https://id.example.com' });
  });

  it.each(['import', 'require'])('exports the FAPI profile without Nest, by %s()', async (load) => {
    const program = `Promise.resolve(${load}('nest-oauth2/fapi')).then((all) => console.log(all.fapi2().length))`;
    expect(await run(host, 'node', '-e', program)).toBe('5\n');
  });

  it.each(['import', 'require'])('exports the MCP profile without Nest, by %s()', async (load) => {
    const program = `Promise.resolve(${load}('nest-oauth2/mcp')).then((all) => console.log(all.mcp().length))`;
    expect(await run(host, 'node', '-e', program)).toBe('7\n');
  });

  it.each(['import', 'require'])('exports the OpenID provider without Nest, by %s()', async (load) => {
    const program = `Promise.resolve(${load}('nest-oauth2/openid')).then((all) => console.log(all.openid().specification))`;
    expect(await run(host, 'node', '-e', program)).toBe('OpenID Connect Core\n');
  });

  it('can be tested by CommonJS Jest, which loads no ES modules', async () => {
    const config = { rootDir: host, testMatch: ['<rootDir>/jose.spec.cjs'], transform: {} };
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const report = await run(host, 'node', jest, '--config', JSON.stringify(config), '--ci', '--json');
    expect(JSON.parse(report)).toMatchObject({ success: true, numPassedTests: 1 });
  });

  it('type-checks the entry point in files of both formats', async () => {
    const files = await copiesOf(host, 'jose-types');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--types', 'node', '--skipLibCheck', 'false'];
    await expect(run(host, tool('tsc'), ...flags, ...files)).resolves.toBe('');
  });
});
