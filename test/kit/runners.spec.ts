import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from '@jest/globals';
import { describeModelContract, type DescribeOptions, type Report } from 'nest-oauth2/testing';

import { CorrectModel, subject } from './correct-model.js';

const folder = join(import.meta.dirname, 'node-test');

/** Runs a file with `node --test`, as an application without Jest does. */
function nodeTest(file: string) {
  const { JEST_WORKER_ID: _jest, NODE_OPTIONS: _options, ...env } = process.env;
  const flags = ['--import', join(folder, 'hooks.mjs'), '--test', '--test-reporter', 'tap'];
  return spawnSync(process.execPath, [...flags, join(folder, file)], { encoding: 'utf8', env });
}

/** Returns a test runner that only records the tests. */
function paperRunner() {
  const tests: { name: string; test: () => Promise<void> }[] = [];
  const runner: DescribeOptions['runner'] = {
    describe: (_name, define) => define(),
    it: (name, test) => void tests.push({ name, test }),
  };
  return { runner, tests };
}

describe('the model contract with node:test', () => {
  it('passes for a correct model and prints its guarantees, without Nest', () => {
    const { status, stdout } = nodeTest('honest.ts');
    expect(stdout).toContain('ok 1 - returns its client with `grants` and `redirectUris` as arrays');
    expect(stdout).toMatch(/Guarantees of an honest model[^]+authorization codes +atomic[^]+ 0 failed/);
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(status).toBe(0);
  });

  it('fails for a careless model and describes the possible attack', () => {
    const { status, stdout } = nodeTest('careless.ts');
    expect(stdout).toMatch(/not ok \d+ - marks an authorization code as used only once/);
    expect(stdout).toMatch(/Attack: An attacker who finds a used authorization code/);
    expect(stdout).toMatch(/UPDATE codes SET revoked_at = now\(\)/);
    expect(stdout).toMatch(/authorization codes +broken/);
    expect(status).toBe(1);
  });
});

describe('the model contract with any test runner', () => {
  afterEach(() => {
    for (const name of ['describe', 'it']) Reflect.deleteProperty(globalThis, name);
  });

  it('uses the global functions of the runner if they exist', () => {
    const { runner, tests } = paperRunner();
    Object.assign(globalThis, runner);
    describeModelContract('a model', () => subject(new CorrectModel()));
    expect(tests.map(({ name }) => name)).toContain('marks an authorization code as used only once');
  });

  it('reports what to import if the runner has no global functions', () => {
    expect(() => describeModelContract('a model', () => subject(new CorrectModel()))).toThrow(
      "import { describe, it } from '@jest/globals' and pass the option `runner: { describe, it }`",
    );
  });

  it('reports once after the last check, and cleans up after each check', async () => {
    const { runner, tests } = paperRunner();
    const reports: Report[] = [];
    let open = 0;
    const makeModel = async () => {
      open += 1;
      return { ...subject(new CorrectModel()), cleanUp: async () => void (open -= 1) };
    };
    describeModelContract('a model', makeModel, { runner, parallel: 5, onReport: (report) => reports.push(report) });
    for (const { test } of tests) {
      expect(reports).toEqual([]);
      await test();
      expect(open).toBe(0);
    }
    expect(reports.map(({ ok, text }) => [ok, text.split('\n')[0]])).toEqual([[true, 'Guarantees of a model']]);
  });

  it('reports that it needs a client', async () => {
    const { runner, tests } = paperRunner();
    describeModelContract('a model', () => new CorrectModel(), { runner });
    await expect(tests[0]!.test()).rejects.toThrow(
      'The contract kit needs a client that `getClient()` of the model finds. Return `client: { id, secret }`',
    );
  });

  it.each([
    [
      { client: { id: 'stranger', secret: 'x' } },
      "The model does not find `client` of the fixtures: `getClient('stranger', …)` returned nothing",
    ],
    [
      { user: { username: 'ghost', password: 'x' } },
      "The model does not find `user` of the fixtures: `getUser('ghost', …)` returned nothing",
    ],
  ])('reports a client or user that the model does not find: %j', async (wrong, message) => {
    const { runner, tests } = paperRunner();
    describeModelContract('a model', () => ({ ...subject(new CorrectModel()), ...wrong }), { runner });
    const flow = tests.find(({ name }) => name === 'completes the authorization code flow')!;
    await expect(flow.test()).rejects.toThrow(message);
  });
});
