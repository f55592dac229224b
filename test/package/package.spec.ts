import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshApplication, root, run, tarball, tool, workspace } from './applications.js';

describe('the packed tarball', () => {
  it('contains the builds and the documents, and nothing else', async () => {
    const listed = (await run(workspace, 'tar', '-tf', tarball)).split('\n').filter(Boolean);
    const files = listed.map((file) => file.replace(/^package\//, ''));
    const types = /^dist\/(esm|cjs)\/(lib|src)\/.+\.d\.ts$/;
    const code = /^dist\/(esm|cjs)\/((shared|stores)\/)?[\w.-]+\.js(\.map)?$/;
    const isAllowed = (file: string) =>
      types.test(file) || code.test(file) || file === 'dist/cjs/package.json' || file.startsWith('docs/');
    expect(files.filter((file) => !isAllowed(file)).toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
    ]);
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

  it.each(['mts', 'cts'])('type-checks the engine in a file of type .%s', async (format) => {
    await cp(join(host, 'engine-types.ts'), join(host, `engine-types.${format}`));
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node', '--skipLibCheck', 'false'];
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', ...types];
    await expect(run(host, tool('tsc'), ...flags, `engine-types.${format}`)).resolves.toBe('');
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

  it.each(['mts', 'cts'])('type-checks the entry point in a file of type .%s', async (format) => {
    await cp(join(host, 'jose-types.ts'), join(host, `jose-types.${format}`));
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--types', 'node', '--skipLibCheck', 'false'];
    await expect(run(host, tool('tsc'), ...flags, `jose-types.${format}`)).resolves.toBe('');
  });
});
