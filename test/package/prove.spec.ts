import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshApplication, run } from './applications.js';

/** The commands `prove` and `prove verify` of the packed package, in an application of each module format. */
describe('npx nest-oauth2 prove', () => {
  let host: string;
  const command = (...words: string[]) => run(host, join(host, 'node_modules/.bin/nest-oauth2'), 'prove', ...words);

  beforeAll(async () => {
    const nest = ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@11`);
    host = await freshApplication(...nest, 'reflect-metadata@0.2', 'rxjs@7', 'jose@6', 'typeorm@1', 'libsql@0.5');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { d, ...publicKey } = { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', kid: 'proof' };
    await writeFile(join(host, 'private.json'), JSON.stringify({ ...publicKey, d }));
    await writeFile(join(host, 'public.json'), JSON.stringify({ keys: [publicKey] }));
  });

  it.each(['prove.mjs', 'prove.cjs'])('signs a report about %s, which `prove verify` accepts', async (file) => {
    const name = file.replace('.', '-');
    const place = ['--empty', `${name}.sqlite`, '--kills', '2'];
    const output = await command(file, ...place, '--commit', 'c0ffee', '--output', name, '--fail-on', 'never');
    expect(output).toMatch(/^Passed: .* checks of the store: \d+ passed, 0 failed\.\n/);
    expect(output).toContain(`\nsigned  yes\nwritten ${name}.json, ${name}.html\n`);
    const [, digest] = /^digest {2}(\S+)$/m.exec(output)!;
    for (const report of [`${name}.json`, `${name}.html`]) {
      const verified = await command('verify', report, '--keys', 'public.json');
      expect(verified).toMatch(/^authentic {2}signed by the key /);
      expect(verified).toContain(`\ncommit     c0ffee\nseed       1\ndigest     ${digest}\nPassed: `);
    }
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(join(host, 'node_modules'));
  });
});
