import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';

import { OAuth2Server } from 'nest-oauth2';

import { EXPECTATIONS } from './expectations.js';
import { startHost } from './host/host.js';
import { ALL_PLANS as PLANS } from './plans/index.js';
import { runCampaign } from './runner/campaign.js';
import { type RecordedPlan, render, withResult } from './runner/record.js';
import { Suite } from './runner/suite.js';

const PAGE = 'docs/explanation/conformance.md';
const RECORDS = 'conformance/results.json';

const USAGE = `Runs plans of the OpenID Foundation conformance suite against this server.

  CONFORMANCE_SERVER=https://… npm run conformance -- [plan …]
    [--module part-of-a-name] [--platform fastify] [--parallel 2] [--record]

Plans: ${PLANS.map(({ name }) => name).join(', ')}. More in conformance/README.md.`;

const run = promisify(execFile);

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      module: { type: 'string', default: '' },
      parallel: { type: 'string', default: '1' },
      platform: { type: 'string', default: 'express' },
      record: { type: 'boolean', default: false },
    },
  });
  const { CONFORMANCE_SERVER: server, CONFORMANCE_ISSUER: issuer = 'https://localhost:3443' } = process.env;
  const unknown = positionals.filter((name) => !PLANS.some((plan) => plan.name === name));
  if (!server || unknown.length > 0) {
    console.error(server ? `Unknown plan: ${unknown.join(', ')}\n` : 'CONFORMANCE_SERVER is not set.\n', USAGE);
    process.exitCode = 2;
    return;
  }
  if (values.record && values.module) throw new Error('`--record` requires whole plans: omit `--module`.');
  const commit = values.record ? await commitOf() : '';
  const plans = PLANS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const platform = values.platform === 'fastify' ? 'fastify' : 'express';
  const suite = new Suite(server.replace(/\/$/, ''));
  const circumstances = { suite: await suite.version(), commit, platform, node: process.version };
  const results = await runCampaign(suite, plans, {
    issuers: Array.from({ length: Number(values.parallel) }, (_, at) => atPort(issuer, at)),
    expectations: EXPECTATIONS,
    wants: (module) => module.includes(values.module),
    patience: 300,
    interval: 1,
    platform,
    async serve(settings, at) {
      const host = await startHost(settings, { issuer: at, platform });
      return { server: host.get(OAuth2Server), stop: () => host.close() };
    },
    print: (line) => console.log(line),
    ...(values.record && {
      finished: (result) => update((all) => withResult(all, result, { ...circumstances, date: today() })),
    }),
  });
  if (results.some(({ modules }) => modules.length === 0 || modules.some(({ isGood }) => !isGood))) {
    process.exitCode = 1;
  }
}

const today = () => new Date().toISOString().slice(0, 10);

/** Returns the issuer at a port that is higher by `at`. */
function atPort(issuer: string, at: number): string {
  const url = new URL(issuer);
  url.port = String(Number(url.port || 443) + at);
  return url.origin;
}

/** @throws {Error} If the code that runs is not the code of a commit. */
async function commitOf(): Promise<string> {
  const sources = ['lib', 'src', 'conformance', 'package.json', 'package-lock.json', `:!${RECORDS}`];
  const { stdout: changes } = await run('git', ['status', '--porcelain', '--', ...sources]);
  if (changes !== '') throw new Error('`--record` names the commit that ran: commit your changes first.');
  return (await run('git', ['rev-parse', '--short=9', 'HEAD'])).stdout.trim();
}

let updates: Promise<unknown> = Promise.resolve();

/** Changes the records and the page when all earlier changes are written. */
function update(change: (records: readonly RecordedPlan[]) => RecordedPlan[]): Promise<unknown> {
  const earlier = updates;
  updates = (async () => {
    await earlier;
    const records = change(JSON.parse(await readFile(RECORDS, 'utf8')) as RecordedPlan[]);
    await writeFile(RECORDS, JSON.stringify(records));
    await writeFile(PAGE, render(await readFile(PAGE, 'utf8'), records));
    await run('npx', ['prettier', '--write', RECORDS, PAGE]);
  })();
  return updates;
}

await main();
