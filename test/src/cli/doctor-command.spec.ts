import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { OAuth2Module } from 'nest-oauth2';
import { OAuth2Report, type Report } from 'nest-oauth2/report';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { openTarget } from '../../../src/cli/open-target.js';
import { readCommand } from '../../../src/cli/read-command.js';
import { targetOfContext } from '../../../src/cli/target-of-context.js';
import { freePort } from '../../support/environment/free-port.js';

const users = { findById: (id: string) => ({ id }) };
const tenants = {
  findTenant: () => undefined,
  createTenantOptions: (tenant: string) => (tenant === 'acme' ? { issuer: 'https://acme.company.com' } : undefined),
};
const storeWith = (...grants: string[]) => new MemoryStore({ clients: [{ id: 'web', grants }], users });
const accepted = [{ rule: 'client-implicit-grant', reason: 'The old page.', until: '2999-01-01' }];

class AppModule {}
Module({
  imports: [
    OAuth2Module.forRoot({ model: storeWith('implicit'), issuer: 'https://id.company.com' }),
    OAuth2Module.forRoot({ name: 'shop', paths: { prefix: 'shop' }, model: storeWith('password'), tenants }),
  ],
  providers: [OAuth2Report.with({ accepted })],
})(AppModule);

describe('nest-oauth2 doctor', () => {
  let context: INestApplicationContext;
  let folder: string;
  const environment = process.env['NODE_ENV'];

  beforeAll(async () => {
    process.env['NODE_ENV'] = 'production';
    folder = await mkdtemp(join(tmpdir(), 'doctor-'));
    context = await NestFactory.createApplicationContext(AppModule, { logger: false });
  });
  afterAll(async () => {
    process.env['NODE_ENV'] = environment;
    await context.close();
    await rm(folder, { recursive: true });
  });

  const run = async (...args: string[]) => {
    const { command, args: given } = readCommand(['doctor', ...args]);
    return command!.run(
      given,
      targetOfContext(context, () => context.get(ModulesContainer)),
    );
  };

  it('prints the findings of all servers and exits with 1', async () => {
    const { lines, exitCode, value } = await run('--tenant', 'acme');
    expect(exitCode).toBe(1);
    expect((value as Report).examined).toEqual(['https://id.company.com', 'https://acme.company.com']);
    const [text] = lines;
    expect(text).toContain('HIGH      client-password-grant  (RFC 9700 §2.4)');
    expect(text).toContain('[server shop, tenant acme] client:web: The client has the grant `password`.');
    // The options of `OAuth2Report` in the application count.
    expect(text).toContain('Accepted until 2999-01-01: The old page.');
  });

  it('exits with 0 if no finding is severe enough', async () => {
    expect((await run('--fail-on', 'never')).exitCode).toBe(0);
    // Without a tenant, only `store-in-memory` of the default server is severe.
    const high = ((await run()).value as Report).findings.filter(({ severity }) => severity === 'high');
    expect(high.map(({ rule, accepted: reason }) => [rule, reason !== undefined])).toEqual([
      ['store-in-memory', false],
      ['client-implicit-grant', true],
    ]);
  });

  it.each([
    ['json', '"findings": ['],
    ['sarif', '"version": "2.1.0"'],
    ['html', '<!doctype html>'],
  ])('writes %s to a file, and prints a summary', async (format, start) => {
    const output = join(folder, `report.${format}`);
    const { lines } = await run('--format', format, '--output', output);
    expect(lines[0]).toMatch(/^\d+ rules judged https:\/\/id\.company\.com.*: 1 high, /);
    expect(await readFile(output, 'utf8')).toContain(start);
  });

  it('rejects unknown formats, severities and tenants', async () => {
    await expect(run('--format', 'pdf')).rejects.toThrow('`--format` must be text, json, sarif, html. Got "pdf"');
    await expect(run('--fail-on', 'critical')).rejects.toThrow('`--fail-on` must be');
    await expect(run('--tenant', 'nobody')).rejects.toThrow('no tenant is registered');
  });

  it('examines only the deployment if there is no application', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { command, args } = readCommand(['doctor', url]);
    expect(command!.isTargetOptional!(args)).toBe(true);
    const target = await openTarget(undefined, undefined, { isOptional: true });
    const { value, exitCode } = await command!.run(args, target);
    expect((value as Report).findings.map(({ rule }) => rule)).toEqual(['deployment-unreachable']);
    expect(exitCode).toBe(1);
    await target.close();
    const { command: other, args: none } = readCommand(['doctor']);
    expect(other!.isTargetOptional!(none)).toBe(false);
    await expect(openTarget(undefined, undefined)).rejects.toThrow('build the application');
  });
});
