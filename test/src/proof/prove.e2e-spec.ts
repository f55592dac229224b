import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_TARGET } from '../../../src/cli/open-target.js';
import { readCommand } from '../../../src/cli/read-command.js';
import type { Proof } from '../../../src/proof/proof.js';
import { EC } from '../../support/servers/openid-server.js';
import { changes, opened } from './proven-application.js';

const APPLICATION = join(import.meta.dirname, 'proven-application.ts');
const before = { ...changes };
const { d: _, ...publicKey } = EC as Record<string, string>;

/** Each case may read the report of the first one. */
describe('nest-oauth2 prove', () => {
  const environment = process.env['NODE_ENV'];
  let folder: string;

  beforeAll(async () => {
    process.env['NODE_ENV'] = 'production';
    folder = await mkdtemp(join(tmpdir(), 'proof-'));
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys: [{ ...publicKey, alg: 'ES256' }] }));
  });
  afterEach(() => void Object.assign(changes, before));
  afterAll(async () => {
    process.env['NODE_ENV'] = environment;
    await rm(folder, { recursive: true });
  });

  const run = async (...words: string[]) => {
    const { command, args } = readCommand(words);
    return command!.run(args, NO_TARGET);
  };
  const at = (name: string) => join(folder, name);
  const prove = async (name: string, ...more: string[]) => {
    const given = ['--commit', 'c0ffee', '--output', at(name), '--empty', `place of ${name}`, '--kills', '0', ...more];
    const { value, lines, exitCode } = await run('prove', APPLICATION, ...given);
    return { proof: value as Proof, lines, exitCode };
  };
  const verify = (name: string, keys = 'keys.json') => run('prove', 'verify', at(name), '--keys', at(keys));

  it('writes a signed report as JSON and HTML, which `prove verify` accepts', async () => {
    const { proof, lines, exitCode } = await prove('first');
    expect({ lines, failures: proof.verdicts.failures }).toEqual({
      lines: [
        expect.stringMatching(
          /^Passed: open findings: 1; attacks: \d+ resisted, 0 succeeded, 0 inconclusive, .*: \d\d+ passed, 0 failed\.$/,
        ),
        `digest  ${proof.digest}`,
        'signed  yes',
        `written ${at('first')}.json, ${at('first')}.html`,
      ],
      failures: [],
    });
    expect(exitCode).toBe(0);
    expect(opened).toEqual(['place of first']);
    expect(proof.verdicts).toMatchObject({ commit: 'c0ffee', seed: 1, examined: ['https://id.company.com'] });
    expect(proof.verdicts.contract).toMatchObject({ kills: 0 });
    expect(proof.verdicts.contract!.guarantees).toMatchObject({ 'authorization codes': 'atomic' });
    expect(proof.verdicts.conformance.length).toBeGreaterThan(10);
    for (const file of ['first.json', 'first.html']) {
      const { value, lines: shown } = await verify(file);
      expect(value).toMatchObject({ digest: proof.digest, commit: 'c0ffee', failures: [] });
      expect(shown[0]).toMatch(/^authentic {2}signed by the key /);
    }
    const page = await readFile(at('first.html'), 'utf8');
    expect(page).toContain('client-wrong-secret');
    expect(page).not.toMatch(/<script(?! type="application\/json")|<[^>]+ (?:src|href)=/);
    // The place may contain a password.
    expect(page).not.toContain('place of first');
  });

  it('has the same digest for the same commit and seed, and another one for another seed', async () => {
    const [same, other] = [await prove('same'), await prove('other', '--seed', '2')];
    const { digest } = JSON.parse(await readFile(at('first.json'), 'utf8')) as Proof;
    expect(same.proof.digest).toBe(digest);
    expect(other.proof.digest).not.toBe(digest);
  });

  it('rejects reports that were changed, in any part and in both forms', async () => {
    const json = await readFile(at('first.json'), 'utf8');
    const html = await readFile(at('first.html'), 'utf8');
    const changed: [string, string, RegExp][] = [
      ['verdict.json', json.replace('"resisted"', '"not applicable"'), /digest differs/],
      ['detail.json', json.replace(/"detail": "[^"]*/, '"detail": "looks fine'), /changed after it was signed/],
      ['digest.json', json.replace(/"digest": ".{4}/, '"digest": "AAAA'), /digest differs/],
      ['unsigned.json', json.replace(/"signature": "[^"]*"/, '"signature": null'), /no signature/],
      ['signature.json', json.replace(/"signature": "([^"]*)\.[^."]*"/, '"signature": "$1.AAAA"'), /no key/],
      ['shown.html', html.replace('<td>resisted</td>', '<td>succeeded</td>'), /shows something else/],
      ['embedded.html', html.replace('"verdict":"resisted"', '"verdict":"succeeded"'), /shows something else/],
      ['nothing.json', '{}', /no report/],
      ['nothing.html', '<!doctype html>', /no report/],
    ];
    for (const [name, content, message] of changed) {
      expect([json, html]).not.toContain(content);
      await writeFile(at(name), content);
      await expect(verify(name)).rejects.toThrow(message);
    }
    await writeFile(at('other-keys.json'), '{"keys":[]}');
    await expect(verify('first.json', 'other-keys.json')).rejects.toThrow('no key of the key set');
  });

  it('refuses a database that holds clients, and writes nothing', async () => {
    changes.clients = [{ id: 'production-web', grants: [] }];
    await expect(prove('full')).rejects.toThrow(/holds clients, such as `production-web`: name an empty one/);
    await expect(readFile(at('full.json'))).rejects.toThrow('ENOENT');
  });

  it('exits with 1 if a finding is open or a check of the store fails', async () => {
    changes.grants = ['password'];
    const found = await prove('found');
    expect(found.exitCode).toBe(1);
    expect(found.proof.verdicts.failures).toEqual(['open findings of the configuration: 1']);
    expect((await prove('ignored', '--fail-on', 'never')).exitCode).toBe(0);
    Object.assign(changes, before, { isFixed: false });
    const broken = await prove('broken');
    expect(broken.exitCode).toBe(1);
    expect(broken.proof.verdicts.failures).toEqual([expect.stringMatching(/^failed checks of the store: \d+$/)]);
    // A failed report is authentic, too.
    expect((await verify('broken.html')).value).toMatchObject({ failures: [expect.any(String)] });
  });

  it('rejects wrong command lines', async () => {
    await expect(run('prove', APPLICATION, '--commit', 'a')).rejects.toThrow('`store` in the file and `--empty`');
    await expect(run('prove', APPLICATION, '--seed', '1.5')).rejects.toThrow('must be an integer');
    await expect(run('prove', APPLICATION, '--kills', '1.5')).rejects.toThrow('must be an integer from 0');
    await expect(run('prove')).rejects.toThrow(/Write src\/proof\.ts[^]*\n {2}export const proof: ProofOptions = \{\n/);
    await expect(run('prove', at('no.js'))).rejects.toThrow('There is no file');
    await expect(run('prove', 'verify', at('first.json'))).rejects.toThrow('--keys');
    await expect(verify('no.json')).rejects.toThrow('There is no file');
    expect(readCommand(['prove', '--help']).help).not.toContain('--app');
  });
});
