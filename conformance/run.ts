import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { OAuth2Server } from 'nest-oauth2';

import { EXPECTATIONS } from './expectations.js';
import { startHost } from './host/host.js';
import { PLANS } from './plans/index.js';
import { runCampaign } from './runner/campaign.js';
import { record } from './runner/record.js';
import { Suite } from './runner/suite.js';

const PAGE = 'docs/conformance.md';

const USAGE = `Runs plans of the OpenID Foundation conformance suite against this server.

  CONFORMANCE_SERVER=https://… npm run conformance -- [plan …] [--module part-of-a-name] [--platform fastify] [--record]

Plans: ${PLANS.map(({ name }) => name).join(', ')}. More in conformance/README.md.`;

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      module: { type: 'string', default: '' },
      platform: { type: 'string', default: 'express' },
      record: { type: 'boolean', default: false },
    },
  });
  const { CONFORMANCE_SERVER: server, CONFORMANCE_ISSUER: issuer = 'https://localhost:3443' } = process.env;
  const unknown = positionals.filter((name) => !PLANS.some((plan) => plan.name === name));
  if (!server || unknown.length > 0) {
    console.error(server ? `There is no plan ${unknown.join(', ')}.\n` : 'CONFORMANCE_SERVER is not set.\n', USAGE);
    process.exitCode = 2;
    return;
  }
  const plans = PLANS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const platform = values.platform === 'fastify' ? 'fastify' : 'express';
  const suite = new Suite(server.replace(/\/$/, ''));
  const results = await runCampaign(suite, plans, {
    issuer,
    expectations: EXPECTATIONS,
    wants: (module) => module.includes(values.module),
    patience: 300,
    interval: 1,
    async serve(settings) {
      const host = await startHost(settings, { issuer, platform });
      return { server: host.get(OAuth2Server), stop: () => host.close() };
    },
    print: (line) => console.log(line),
  });
  if (values.record) {
    if (values.module) throw new Error('`--record` is for whole plans, and `--module` runs parts of them');
    const date = new Date().toISOString().slice(0, 10);
    const page = await readFile(PAGE, 'utf8');
    await writeFile(PAGE, record(page, results, { suite: await suite.version(), date, platform }));
  }
  if (results.some(({ modules }) => modules.some(({ isGood }) => !isGood))) process.exitCode = 1;
}

await main();
