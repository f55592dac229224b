import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import type { KeyInfo } from 'nest-oauth2/jose';

import { type CommandTarget, linesOf } from '../../../src/cli/command.js';
import { targetOfContext } from '../../../src/cli/target-of-context.js';
import { openTarget } from '../../../src/cli/open-target.js';
import { readCommand } from '../../../src/cli/read-command.js';
import { AppModule } from './keys-app.js';

const APP = join(import.meta.dirname, 'keys-app.ts');

describe('nest-oauth2 keys', () => {
  let host: CommandTarget;

  beforeAll(async () => {
    host = targetOfContext(await NestFactory.createApplicationContext(AppModule, { logger: false }));
  });
  afterAll(() => host.close());

  const run = async (...args: string[]) => {
    const { command, args: given } = readCommand(['keys', ...args]);
    const result = await command!.run(given, host);
    return { ...result, lines: linesOf(result, false) };
  };
  const keys = async (...args: string[]) => (await run('list', ...args)).value as KeyInfo[];

  it('create a first key that signs immediately, and a second key that is published before it signs', async () => {
    const { lines } = await run('rotate');
    expect(lines).toEqual([expect.stringMatching(/^[\w-]{43}\tES256\tcurrent\t\d{4}-\d\d-\d\dT[\d:.]+Z$/)]);
    const next = (await run('rotate')).value as KeyInfo;
    expect(next.state).toBe('next');
    expect(await keys()).toMatchObject([{ state: 'current' }, { kid: next.kid, state: 'next' }]);
    expect((await run('list')).lines[1]).toBe(`${next.kid}\tES256\tnext\t${next.signsFrom.toISOString()}`);
  });

  it('make a key of another algorithm sign immediately with --now', async () => {
    expect((await run('rotate', '--alg', 'EdDSA', '--now')).value).toMatchObject({ alg: 'EdDSA', state: 'current' });
    await expect(run('rotate', '--alg', 'RS256')).rejects.toThrow('no key that signs with RS256');
  });

  it('remove a key and replace it by a new one', async () => {
    const [first] = await keys();
    expect((await run('remove', '--', first!.kid)).lines).toEqual([`removed  ${first!.kid}`]);
    expect((await keys()).map(({ kid }) => kid)).not.toContain(first!.kid);
    await expect(run('remove', '--', first!.kid)).rejects.toThrow(`There is no key "${first!.kid}"`);
    expect(() => readCommand(['keys', 'remove'])).toThrow('`keys remove` requires a <kid>');
    expect(() => readCommand(['keys'])).toThrow(
      'There is no command `keys`: the known ones are `keys list`, `keys rotate`, `keys remove`. See nest-oauth2 --help',
    );
  });

  it.each([[['-Gx_k']], [['-Gx_k', '--json']], [['--json', '-Gx_k']], [['--json', '--', '-Gx_k']]])(
    'accept a key id that starts with a hyphen, like an option: %j',
    (args) => {
      const { args: given } = readCommand(['keys', 'remove', ...args]);
      expect([given.id, given.isSet('json')]).toEqual(['-Gx_k', args.includes('--json')]);
    },
  );

  it('rotate a decryption key of the algorithm given by --alg', async () => {
    const reading = ['--server', 'reading', '--alg', 'ECDH-ES'];
    const first = (await run('rotate', ...reading)).value as KeyInfo;
    expect(first).toMatchObject({ use: 'enc', alg: 'ECDH-ES', state: 'current' });
    expect((await run('rotate', ...reading)).value).toMatchObject({ use: 'enc', state: 'next' });
    expect((await run('rotate', '--server', 'reading')).value).toMatchObject({ use: 'sig', alg: 'ES256' });
    expect((await keys('--server', 'reading')).map(({ use }) => use)).toEqual(['enc', 'sig', 'enc']);
    await expect(run('rotate', '--alg', 'ECDH-ES')).rejects.toThrow('no key that decrypts with ECDH-ES');
  });

  it('report a server without keys(), keys in `from` of the application, and an unknown server', async () => {
    await expect(run('list', '--server', 'none')).rejects.toThrow('`keys()` is not among the `features`');
    await expect(run('rotate', '--server', 'given')).rejects.toThrow(
      'the application configures the keys in `from` of `keys()`',
    );
    await expect(run('list', '--server', 'nobody')).rejects.toThrow('The application has no server `nobody`');
    const model = await openTarget(APP, 'store');
    const { command, args: given } = readCommand(['keys', 'list']);
    await expect(command!.run(given, model)).rejects.toThrow(
      'keys-app.ts exports a model, and this command needs a server',
    );
  });

  it('manage the keys of a tenant', async () => {
    const tenant = ['--server', 'tenants', '--tenant'];
    expect((await run('rotate', ...tenant, 'acme')).value).toMatchObject({ state: 'current' });
    await expect(run('list', ...tenant, 'nobody')).rejects.toThrow('There is no tenant "nobody"');
    await expect(run('list', '--server', 'tenants')).rejects.toThrow('add --tenant <id>');
    await expect(run('list', '--tenant', 'acme')).rejects.toThrow('remove --tenant');
  });
});
