import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transform } from '@swc/core';
import { add } from '../../../src/schematics/index.js';
import { StagedApplication } from './staged-application.js';

const run = promisify(execFile);

const SECRET = 'a'.repeat(43);
const PUBLIC = 'https://id.example.com';

/** Writes `environment.ts` of an application as a module that prints its exports, and returns the path. */
async function environmentOf(options: Parameters<typeof add>[0], folder: string): Promise<string> {
  const application = await new StagedApplication().run(add(options));
  const parser = { syntax: 'typescript' as const };
  const { code } = await transform(application.read('src/oauth/environment.ts'), {
    swcrc: false,
    jsc: { parser, target: 'es2022' },
  });
  const file = join(folder, `${options.store}.mjs`);
  await writeFile(file, `${code}\nconsole.log(JSON.stringify({ issuer, isProduction }));\n`);
  return file;
}

describe('environment.ts of nest add nest-oauth2', () => {
  let folder: string;
  let typeorm: string;
  let memory: string;

  /** Runs the module without `.env` and without the variables of this process. */
  const load = async (file: string, env: Record<string, string>) =>
    JSON.parse((await run(process.execPath, [file], { cwd: folder, env })).stdout) as object;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nest-oauth2-environment-'));
    typeorm = await environmentOf({ store: 'typeorm', features: 'openid' }, folder);
    memory = await environmentOf({ store: 'memory', features: 'openid' }, folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each<[isProduction: boolean, env: Record<string, string>]>([
    [false, {}],
    [false, { OAUTH2_ISSUER: 'http://127.0.0.1:4000' }],
    [false, { OAUTH2_ISSUER: PUBLIC, NODE_ENV: 'development' }],
    [false, { OAUTH2_ISSUER: PUBLIC, NODE_ENV: 'test' }],
    [true, { OAUTH2_ISSUER: PUBLIC }],
    [true, { OAUTH2_ISSUER: PUBLIC, NODE_ENV: 'production' }],
  ])('exports isProduction=%j with %j', async (isProduction, env) => {
    await expect(load(typeorm, { OAUTH2_SECRET: SECRET, ...env })).resolves.toMatchObject({ isProduction });
  });

  it.each<[env: Record<string, string>, message: string]>([
    [{ OAUTH2_ISSUER: 'http://id.example.com' }, 'OAUTH2_ISSUER must be an https URL in production'],
    [{ NODE_ENV: 'production', OAUTH2_ISSUER: 'http://localhost:3000' }, 'OAUTH2_ISSUER must be an https URL'],
    [{ NODE_ENV: 'production' }, 'OAUTH2_ISSUER is not set'],
  ])('rejects %j', async (env, message) => {
    await expect(load(typeorm, { OAUTH2_SECRET: SECRET, ...env })).rejects.toThrow(message);
  });

  it('requires the secret in tests too if the database keeps signing keys that it encrypts', async () => {
    await expect(load(typeorm, { NODE_ENV: 'test' })).rejects.toThrow('OAUTH2_SECRET is not set');
    await expect(load(memory, { NODE_ENV: 'test' })).resolves.toMatchObject({ isProduction: false });
    await expect(load(memory, {})).rejects.toThrow('OAUTH2_SECRET is not set');
  });
});
