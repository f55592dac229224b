import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CreatedPersonalToken, OAuth2PersonalTokens } from 'nest-oauth2';

import { linesOf, UsageError } from '../../../src/cli/command.js';
import { readCommand } from '../../../src/cli/read-command.js';
import { targetOfContext } from '../../../src/cli/target-of-context.js';
import { AppModule } from './grants-app.js';

describe('nest-oauth2 tokens', () => {
  let context: INestApplicationContext;
  let tokens: CreatedPersonalToken[];

  beforeAll(async () => {
    context = await NestFactory.createApplicationContext(AppModule, { logger: false });
    const manager = context.get(OAuth2PersonalTokens, { strict: false });
    const create = (name: string, id = 'alice') => manager.create(undefined, { id }, { name, scopes: ['read'] });
    tokens = [await create('CI'), await create('backup'), await create('deploy'), await create('CI', 'bob')];
  });
  afterAll(() => context.close());

  const run = async (...args: string[]) => {
    const { command, args: given } = readCommand(args);
    const result = await command!.run(given, targetOfContext(context));
    return { value: result.value, lines: linesOf(result, false) };
  };
  const names = async () => (await run('tokens', 'list', '--user', 'alice')).lines.map((line) => line.split('\t')[1]);

  it('list the tokens of a user, and revoke one or all of them', async () => {
    expect(new Set(await names())).toEqual(new Set(['CI', 'backup', 'deploy']));
    expect(JSON.stringify((await run('tokens', 'list', '--user', 'alice')).value)).not.toContain('pat_');
    const [ci, , , other] = tokens;
    await expect(run('tokens', 'end', ci!.id, '--user', 'alice')).resolves.toMatchObject({ lines: ['ended  1'] });
    for (const id of [ci!.id, other!.id])
      await expect(run('tokens', 'end', id, '--user', 'alice')).rejects.toThrow('The user has no token');
    await expect(run('tokens', 'end', '--all', '--user', 'alice')).resolves.toMatchObject({ value: { ended: 2 } });
    expect(await names()).toEqual([]);
    expect((await run('tokens', 'list', '--user', 'bob')).lines).toHaveLength(1);
  });

  it('require a user, and one token or all', async () => {
    await expect(run('tokens', 'list')).rejects.toThrow(UsageError);
    await expect(run('tokens', 'end', '--user', 'alice')).rejects.toThrow('Add the id of a token, or --all.');
    await expect(run('tokens', 'end', 'x', '--all', '--user', 'alice')).rejects.toThrow(UsageError);
  });

  it('need a server with personal access tokens', async () => {
    const listed = run('tokens', 'list', '--user', 'alice', '--server', 'own');
    await expect(listed).rejects.toThrow('The server has no personal access tokens');
  });
});
