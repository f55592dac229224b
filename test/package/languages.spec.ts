import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshApplication, root, run, tool, workspace } from './applications.js';

const TAGS = readdirSync(join(root, 'packages/languages/src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('the packed package nest-oauth2-languages', () => {
  let host: string;
  let packed: string;

  beforeAll(async () => {
    const output = await run(root, 'npm', 'pack', '--silent', '--pack-destination', workspace, './packages/languages');
    packed = join(workspace, output.trim());
    host = await freshApplication('@nestjs/common@12', '@nestjs/core@12', 'rxjs', 'reflect-metadata', packed);
  });

  it('exports each language as an ES module and for CommonJS', async () => {
    for (const tag of TAGS) {
      const print = `console.log(one.${tag}.messages.allow)`;
      const es = `import * as one from 'nest-oauth2-languages/${tag}'; ${print}`;
      const common = `const one = require('nest-oauth2-languages/${tag}'); ${print}`;
      const [first, second] = [
        await run(host, 'node', '--input-type=module', '-e', es),
        await run(host, 'node', '--input-type=commonjs', '-e', common),
      ];
      expect(first).not.toBe('Allow\n');
      expect(second).toBe(first);
    }
  });

  it('has types that fit the option `languages` in both formats', async () => {
    const code = `import { pages } from 'nest-oauth2/pages';
      import { de } from 'nest-oauth2-languages/de';
      export const feature = pages({ languages: { de, fr: () => import('nest-oauth2-languages/fr').then(({ fr }) => fr), x: { messages: { ...de.messages, allow: 'Ja' } } } });
      // @ts-expect-error a text has a known name
      export const wrong = pages({ languages: { de: { messages: { alow: 'Ja' } } } });\n`;
    await writeFile(join(host, 'types.mts'), code);
    await writeFile(join(host, 'types.cts'), code);
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext'];
    await expect(run(host, tool('tsc'), ...options, 'types.mts', 'types.cts')).resolves.toBe('');
    await run(host, tool('attw'), packed, '--no-emoji', '--no-color');
    await run(host, tool('publint'), 'run', packed, '--strict');
  });
});
