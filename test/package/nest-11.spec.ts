import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root, run } from './applications.js';
import { applicationOnNest11, type Outcome, runTests } from './nest-11.js';

const read = <Row>(specification: string) =>
  JSON.parse(readFileSync(join(root, 'test/src', specification), 'utf8')) as Row[];

/** Only the NATS server may be missing on the machine. */
const hasNats = spawnSync('nats-server', ['--version']).error === undefined;
const transports = read<{ transport: string; token: string }>('transports/specification.json').filter(
  ({ transport }) => hasNats || !transport.includes('NATS'),
);

const hosts = read<{ host: string; only?: string }>('hosts/specification.json');

/** Runs the same test files as on Nest 12, from which the tables of the documentation are generated. */
describe('the packed package on Nest 11', () => {
  let host: string;
  let outcomes: Outcome[];

  beforeAll(async () => {
    host = await applicationOnNest11('src/transports', 'src/guards', 'src/hosts', 'src/throttling.e2e-spec.ts');
    outcomes = await runTests(host);
  });

  function expectToHavePassed(where: string, atLeast: number): void {
    const found = outcomes.filter(
      ({ ancestorTitles, title }) => title === where || ancestorTitles.some((one) => one.includes(where)),
    );
    // Tests of features that Nest 11 lacks are skipped. docs/reference/transports.md lists them.
    const ran = found.filter(({ status }) => status !== 'pending');
    expect(ran.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(ran.length).toBeGreaterThanOrEqual(atLeast);
  }

  it('runs the tests without any package of Nest 12', async () => {
    const { dependencies } = JSON.parse(await run(host, 'npm', 'ls', '--json', '@nestjs/core')) as {
      dependencies: Record<string, { version: string; dependencies?: Record<string, { version: string }> }>;
    };
    const versions = Object.values(dependencies).map(
      (one) => one.dependencies?.['@nestjs/core']?.version ?? one.version,
    );
    expect(new Set(versions.map((version) => version.split('.')[0]))).toEqual(new Set(['11']));
  });

  it.each(transports)('passes the tests of OAuthGuard over $transport, $token', (row) => {
    expectToHavePassed(`over ${row.transport}, ${row.token}`, 6);
  });

  it.each(hosts)('passes the tests of the application "$host"', ({ host: name, only }) => {
    expectToHavePassed(name, only ? 1 : 2);
  });

  it('passes the tests of a WebSocket gateway behind OAuthGuard', () =>
    expectToHavePassed('a WebSocket gateway behind OAuthGuard', 4));

  it('passes the tests of rate limits by @nestjs/throttler', () => expectToHavePassed('@nestjs/throttler', 20));
});
