import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { type CommandTarget, UsageError } from '../../../src/cli/command.js';
import { readCommand } from '../../../src/cli/read-command.js';
import { fieldsOf } from '../../../src/cli/client-options.js';

const manifest = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8');

describe('the nest-oauth2 command line', () => {
  it('prints the version of the package with --version', () => {
    expect(readCommand(['--version']).help).toBe((JSON.parse(manifest) as { version: string }).version);
  });

  it.each([[['--help']], [['clients', 'create', '--help']], [['revoke', '--help']]])(
    'wraps the help of %j at the width of the terminal, without losing a word',
    (args) => {
      const words = (help: string) => help.split(/\s+/).filter(Boolean).toSorted();
      const { help } = readCommand(args, 80);
      const [, ...lines] = help.split('\n');
      expect(Math.max(...lines.slice(0, -1).map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(words(help)).toEqual(words(readCommand(args).help));
    },
  );

  it('names the package that contains the codemod for `migrate`', () => {
    expect(() => readCommand(['migrate', '--dry-run'])).toThrow('npx nest-oauth2-migrate');
  });

  it('names the command of the Nest CLI for `add`', () => {
    expect(() => readCommand(['add', '--store=memory'])).toThrow('npx nest add nest-oauth2');
  });

  it.each(['authorization_code', 'implicit'])(
    'does not create a client with %s and without redirect URI, whose requests would all fail',
    async (grant) => {
      const { command, args } = readCommand(['clients', 'create', 'web', '--grant', grant]);
      await expect(command!.run(args, {} as CommandTarget)).rejects.toThrow(
        new UsageError(`\`--grant ${grant}\` requires the redirect URI of the client: add --redirect-uri <uri>`),
      );
    },
  );
});

describe('nest-oauth2 clients create --set', () => {
  const fields = (set: string) => fieldsOf(readCommand(['clients', 'create', '--set', set]).args);

  it('reports a wrong argument without its value, which may be a secret', () => {
    expect(() => fields('secret=hunter2')).toThrow('`--set secret=…` must be a field and its value as JSON');
    expect(() => fields('hunter2')).toThrow(/^`--set` must be a field and its value as JSON/);
  });

  it('accepts `__proto__` like any other field name, without changing the prototype', () => {
    const given = fields('__proto__={"disabledAt":1}');
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
    expect(given['disabledAt']).toBeUndefined();
  });
});
