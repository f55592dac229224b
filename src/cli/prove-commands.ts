import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { JSONWebKeySet } from 'jose';
import type { ConformanceRecord } from '../proof/index.js';
import type { ProofOptions } from '../proof/proof-options.js';
import { FAIL_ON, failOnOf } from './doctor-command.js';
import { type Command, CommandError, type CommandOption, UsageError } from './command.js';
import { importFile } from './open-target.js';
import { packageFile, packageVersion } from './package-file.js';

const run = promisify(execFile);

/** The files to which `nest build` writes `src/proof.ts`. Without an argument, the first that exists is loaded. */
const DEFAULT_FILES = ['dist/proof.js', 'dist/src/proof.js'];

const NO_FILE = `Neither ${DEFAULT_FILES.join(' nor ')} exists. Write src/proof.ts with your user and a guarded route, and build:

  import { NestFactory } from '@nestjs/core';
  import type { ProofOptions } from 'nest-oauth2/testing';
  import { AppModule } from './app.module.js';

  export const proof: ProofOptions = {
    application: () => NestFactory.create(AppModule, { logger: false }),
    lab: { signIn: { username: 'alice', password: 'wonderland' }, guarded: '/notes' },
  };`;

const PROVE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  empty: {
    type: 'string',
    value: '<place>',
    description:
      'the empty database or key prefix for the contract kit, which `store` of the file opens. It must hold no clients',
  },
  output: {
    type: 'string',
    value: '<name>',
    description: 'the name of the two files without .json and .html. Default: oauth2-proof',
  },
  seed: {
    type: 'string',
    value: '<number>',
    description: 'determines the values of the attack lab and the moments of the kills. Default: 1',
  },
  kills: {
    type: 'string',
    value: '<number>',
    description: 'how many processes are killed while they use the store. Default: 10',
  },
  commit: { type: 'string', value: '<id>', description: 'the commit of the application. Default: git rev-parse HEAD' },
  conformance: {
    type: 'string',
    value: '<file>',
    description: 'recorded results of a conformance suite. Default: those of nest-oauth2 itself',
  },
  'fail-on': FAIL_ON,
};

/** The commands that make and verify a signed report. */
export const PROVE_COMMANDS: Readonly<Record<string, Command>> = {
  prove: {
    argument: '[file]',
    description:
      'examines and attacks the application that a file exports as `proof`, tests its store, and writes one signed report as JSON and HTML',
    options: PROVE_OPTIONS,
    hasNoTarget: true,
    async run(args) {
      const seed = args.number('seed') ?? 1;
      if (!Number.isSafeInteger(seed)) throw new UsageError('`--seed` must be an integer');
      const kills = args.number('kills') ?? 10;
      if (!Number.isSafeInteger(kills) || kills < 0) throw new UsageError('`--kills` must be an integer from 0');
      const file = args.id || DEFAULT_FILES.find((each) => existsSync(each));
      if (!file) throw new CommandError(NO_FILE);
      const options = (await importFile(file, 'proof')) as ProofOptions;
      const place = args.text('empty');
      if ((options.store === undefined) !== (place === undefined))
        throw new UsageError('`store` in the file and `--empty` require each other');
      const { htmlProof, makeProof, summaryOf } = await import('../proof/index.js');
      const proof = await makeProof(options, {
        version: packageVersion(),
        commit: args.text('commit') ?? (await commitOf()),
        seed,
        place,
        file,
        program: packageFile('dist/esm/proof-store.js'),
        kills,
        failOn: failOnOf(args),
        conformance: await conformanceOf(args.text('conformance')),
      });
      const name = args.text('output') ?? 'oauth2-proof';
      await writeFile(`${name}.json`, `${JSON.stringify(proof, null, 2)}\n`);
      await writeFile(`${name}.html`, htmlProof(proof));
      const { failures } = proof.verdicts;
      return {
        value: proof,
        lines: [
          summaryOf(proof),
          ...failures.map((one) => `  ${one}`),
          `digest  ${proof.digest}`,
          `signed  ${proof.signature ? 'yes' : 'no: the server has no keys, add `keys()`'}`,
          `written ${name}.json, ${name}.html`,
        ],
        exitCode: failures.length > 0 ? 1 : 0,
      };
    },
  },
  'prove verify': {
    argument: '<file>',
    description: 'verifies that a report of `prove` is unchanged and signed by a key of the server',
    options: {
      keys: {
        type: 'string',
        value: '<url or file>',
        description: 'the key set of the server: its `jwks_uri`, or a file that you saved. Required',
      },
    },
    hasNoTarget: true,
    async run(args) {
      const keys = args.text('keys');
      if (keys === undefined) throw new UsageError('Add --keys <url or file>.');
      const { readProof, summaryOf, verifySignature } = await import('../proof/index.js');
      const proof = readProof(await readFile(args.id, 'utf8').catch(() => noFile(args.id)));
      const kid = await verifySignature(proof, await keySetOf(keys));
      const { commit, seed } = proof.verdicts;
      return {
        value: { digest: proof.digest, kid, commit, seed, failures: proof.verdicts.failures },
        lines: [
          `authentic  signed by the key ${kid}`,
          `commit     ${commit}`,
          `seed       ${seed}`,
          `digest     ${proof.digest}`,
          summaryOf(proof),
        ],
      };
    },
  },
};

/** Returns the commit of the current folder. Changed files are marked, because nobody can reproduce them. */
async function commitOf(): Promise<string> {
  try {
    const { stdout: commit } = await run('git', ['rev-parse', 'HEAD']);
    const { stdout: changes } = await run('git', ['status', '--porcelain', '--untracked-files=no']);
    return `${commit.trim()}${changes.trim() === '' ? '' : '-dirty'}`;
  } catch {
    throw new CommandError('This folder has no git commit: add --commit <id>.');
  }
}

/** The recorded results: in the published package, and in a clone that was not built. */
const RECORDED = ['dist/conformance.json', 'conformance/results.json'];

/** Reads recorded results. If no file is given and the package contains none, there are none. */
async function conformanceOf(file: string | undefined): Promise<readonly ConformanceRecord[]> {
  const found = file ?? RECORDED.map(packageFile).find((one) => existsSync(one));
  if (found === undefined) return [];
  const records = await readJson<ConformanceRecord[]>(found);
  if (!Array.isArray(records)) throw new CommandError(`${found} contains no list of results`);
  return records.map(({ plan, platform, commit, results, unfinished }) => ({
    plan,
    platform,
    commit,
    results,
    unfinished,
  }));
}

async function keySetOf(place: string): Promise<JSONWebKeySet> {
  if (!/^https?:/.test(place)) return readJson(place);
  const response = await fetch(place, { signal: AbortSignal.timeout(10_000), redirect: 'error' }).catch(
    () => undefined,
  );
  if (!response?.ok) throw new CommandError(`${place} does not return a key set`);
  return (await response.json()) as JSONWebKeySet;
}

async function readJson<T>(file: string): Promise<T> {
  const content = await readFile(file, 'utf8').catch(() => noFile(file));
  try {
    return JSON.parse(content) as T;
  } catch {
    throw new CommandError(`${file} contains no JSON`);
  }
}

function noFile(file: string): never {
  throw new CommandError(`There is no file ${file}`);
}
