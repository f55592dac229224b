import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root, run } from './applications.js';
import { applicationOnNest11, type Outcome, runTests } from './nest-11.js';

const read = <Row>(specification: string) =>
  JSON.parse(readFileSync(join(root, 'test/src', specification), 'utf8')) as Row[];

/** Of NATS alone no server may be on the machine. */
const hasNats = spawnSync('nats-server', ['--version']).error === undefined;
const transports = read<{ transport: string; token: string }>('transports/specification.json').filter(
  ({ transport }) => hasNats || !transport.includes('NATS'),
);

const hosts = read<{ host: string; only?: string }>('hosts/specification.json');

/** The very files that are run on Nest 12, which the tables of the docs are made of. */
describe('on Nest 11', () => {
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
    // What Nest 11 cannot do is left out there, and told in docs/transports.md.
    const ran = found.filter(({ status }) => status !== 'pending');
    expect(ran.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(ran.length).toBeGreaterThanOrEqual(atLeast);
  }

  it('they run, and nothing of Nest 12 is there', async () => {
    const { dependencies } = JSON.parse(await run(host, 'npm', 'ls', '--json', '@nestjs/core')) as {
      dependencies: Record<string, { version: string; dependencies?: Record<string, { version: string }> }>;
    };
    const versions = Object.values(dependencies).map(
      (one) => one.dependencies?.['@nestjs/core']?.version ?? one.version,
    );
    expect(new Set(versions.map((version) => version.split('.')[0]))).toEqual(new Set(['11']));
  });

  it.each(transports)('OAuthGuard does what the table of transports says: $transport, $token', (row) => {
    expectToHavePassed(`over ${row.transport}, ${row.token}`, 6);
  });

  it.each(hosts)('clients observe what the table of hosts says: $host', ({ host: name, only }) => {
    expectToHavePassed(name, only ? 1 : 2);
  });

  it('a gateway behind the guard does as on Nest 12', () => expectToHavePassed('a gateway behind OAuthGuard', 4));

  it('a throttler works on the endpoints', () => expectToHavePassed('@nestjs/throttler', 20));
});
