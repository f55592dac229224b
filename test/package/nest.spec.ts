import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { copiesOf, freshApplication, run, tool } from './applications.js';

describe.each(['12', '11'] as const)('the packed module in an application on Nest %s', (version) => {
  const administered = version === '12' ? 'cli-app.mjs' : 'cli-app.cjs';
  let host: string;

  beforeAll(async () => {
    const nest = ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@${version}`);
    const optional = [`cqrs@${version}`, `swagger@${version}`, `event-emitter@${version === '12' ? 12 : 3}`].map(
      (name) => `@nestjs/${name}`,
    );
    const packages = [...nest, ...optional, '@opentelemetry/api@1'];
    host = await freshApplication(...packages, 'reflect-metadata@0.2', 'rxjs@7', '@types/node@20');
  });

  it.each(['app.mjs', 'app.cjs'])('issues a token and guards a route in %s', async (program) => {
    expect(JSON.parse(await run(host, 'node', program))).toEqual({
      token: { status: 200, token_type: 'Bearer' },
      stranger: 401,
      bearer: { status: 200, body: 'demo' },
    });
  });

  it.each(['import', 'require'])(
    'exports the modules with optional dependencies and the separate entry points by %s()',
    async (load) => {
      const names = ['cqrs', 'event-emitter', 'opentelemetry', 'pages'].map((name) => `'nest-oauth2/${name}'`);
      const print =
        '(all) => console.log(all.flatMap(Object.keys).filter((name) => /Bridge|telemetry|^pages$/.test(name)).join())';
      const program = `Promise.all([${names.join()}].map(async (name) => ${load}(name))).then(${print})`;
      expect(await run(host, 'node', '-e', program)).toBe(
        'OAuth2CqrsBridge,OAuth2EventEmitterBridge,telemetry,pages\n',
      );
    },
  );

  it.each(['swagger.mjs', 'swagger.cjs'])('describes the security requirements of a route in %s', async (program) => {
    const flow = { tokenUrl: '/oauth/token', scopes: { 'notes:read': '' } };
    expect(JSON.parse(await run(host, 'node', program))).toEqual({
      security: [{ oauth2: ['notes:read'] }],
      schemes: { oauth2: { type: 'oauth2', flows: { clientCredentials: flow } } },
    });
  });

  // The command loads an application of the other format too, in the tests of `doctor`.
  it(`lets the command line tool administer clients in ${administered}`, async () => {
    const command = (...args: string[]) =>
      run(host, join(host, 'node_modules/.bin/nest-oauth2'), 'clients', ...args, '--app', administered);
    const failure = async (...args: string[]) => {
      const { message } = await command(...args).then(
        (answer) => new Error(`it answered ${answer}`),
        (error: Error) => error,
      );
      return message;
    };
    const id = `web of ${administered}`;
    const created = await command('create', id, '--grant', 'client_credentials', '--scope', 'a b', '--json');
    const { client, secret } = JSON.parse(created) as { client: object; secret: string };
    expect(client).toMatchObject({ id, scopes: ['a', 'b'], secrets: [{}] });
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await failure('create', id, '--grant', 'password')).toContain('a client with this `id` already exists');
    expect(await command('rotate', id, '--overlap', '3600')).toMatch(/^secret {2}[\w-]{43}\n/);
    const shown = await command('change', id, '--name', 'Shop', '--redirect-uri', 'https://a.example/cb', '--json');
    expect(JSON.parse(shown)).toMatchObject({
      name: 'Shop',
      redirectUris: ['https://a.example/cb'],
      secrets: [{}, {}],
    });
    expect(await command('disable', id)).toBe(`disabled  ${id}\n`);
    expect(await command('list')).toBe(`${id}\tShop\tclient_credentials\tdisabled\n`);
    expect(await command('list', '--server', 'partners')).toBe('');
    expect(await failure('list', '--server', 'nobody')).toContain('no server `nobody`');
    expect(await command('remove', id)).toBe(`removed  ${id}\n`);
    expect(await failure('show', id)).toContain(`There is no client "${id}"`);
    expect(await failure('show')).toContain('requires a <client id>');
    expect(await command('rotate', '--help')).toContain('--overlap <seconds>');
  });

  it('lets the command line tool administer the clients of a model without its application', async () => {
    const args = ['clients', 'list', '--app', 'cli-store.mjs'];
    const command = join(host, 'node_modules/.bin/nest-oauth2');
    expect(await run(host, command, ...args)).toBe('web\t\tpassword\n');
    const lacking = run(host, command, ...args, '--export', 'lacking');
    await expect(lacking).rejects.toThrow('model does not implement `listClients()`');
    await expect(run(host, command, 'clients', 'list')).rejects.toThrow('dist/app.module.js');
  });

  it('lets the command line tool change keys in an application of the other module format without `jose`', async () => {
    const keys = (...args: string[]) =>
      run(host, join(host, 'node_modules/.bin/nest-oauth2'), 'keys', ...args, '--app', 'cli-keys.cjs');
    expect(await keys('rotate')).toMatch(/^[\w-]{43}\tES256\tcurrent\t/);
    expect(JSON.parse(await keys('rotate', '--json'))).toMatchObject({ alg: 'ES256', state: 'current' });
    await expect(keys('remove', 'none')).rejects.toThrow('There is no key "none"');
    await expect(keys('list', '--server', 'partners')).rejects.toThrow('`keys()` is not among the `features`');
  });

  it.each(['cli-app.mjs', 'cli-app.cjs'])('lets the command line tool judge the application in %s', async (program) => {
    const doctor = [join(host, 'node_modules/.bin/nest-oauth2'), 'doctor', '--app', program] as const;
    const report = JSON.parse(await run(host, ...doctor, '--json', '--fail-on', 'never')) as {
      rules: number;
      findings: { rule: string }[];
    };
    expect(report.rules).toBeGreaterThan(60);
    expect(report.findings.map(({ rule }) => rule)).toContain('store-in-memory');
  });

  it('lets the command line tool prove an application without `jose`', async () => {
    const prove = [join(host, 'node_modules/.bin/nest-oauth2'), 'prove', 'prove-plain.mjs'] as const;
    const output = await run(host, ...prove, '--commit', 'c0ffee', '--output', 'plain', '--fail-on', 'never');
    expect(output).toContain('signed  no: the server has no keys');
  });

  it('loads the rules of the report only with its entry', async () => {
    const loaded = "Object.keys(require.cache).some((file) => file.endsWith('rules.js'))";
    const program = `require('nest-oauth2'); require('nest-oauth2/pages'); const before = ${loaded}; require('nest-oauth2/report'); console.log(before, ${loaded})`;
    expect(await run(host, 'node', '-e', program)).toBe('false true\n');
  });

  it('type-checks both formats of types.ts and entries.ts, and the types they import', async () => {
    const files = [...(await copiesOf(host, 'types')), ...(await copiesOf(host, 'entries'))];
    const flags = ['--noEmit', '--strict', '--experimentalDecorators', '--module', 'nodenext', '--types', 'node'];
    await expect(run(host, tool('tsc'), ...flags, '--skipLibCheck', 'false', ...files)).resolves.toBe('');
  });
});
