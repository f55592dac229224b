import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { ConfigModule, type ConfigService } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { getOAuth2ServerToken, OAuth2Module, type OAuth2Server } from 'nest-oauth2';
import { dpop, keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { readCommand } from '../../src/cli/read-command.js';
import { targetOfContext } from '../../src/cli/target-of-context.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';
import { GuideCode } from './attacks/guide-code.js';

const text = (name: string) => `${name}: at least thirty-two characters`;
const ENV = {
  ISSUER: 'http://localhost:3000',
  OAUTH2_SECRET: `${text('new')},${text('old')}`,
  PAIRWISE_SALT: text('salt'),
  WEB_SECRET: text('web'),
};
const users = { findById: () => undefined, findByCredentials: () => undefined };
const store = () => Object.assign(new MemoryStore({ clients: [], users }), { getClaims: () => ({}) });

/** Returns the JSON of a successful response. */
async function json<T>(url: string): Promise<T> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

interface Jwks {
  keys: { alg: string; kid: string }[];
}

describe('settings with @nestjs/config', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  const code = GuideCode.write('settings', ['docs/guides/settings.md'], {
    'src/users.ts': 'export const users = { findById: () => undefined, findByCredentials: () => undefined };',
  });

  beforeAll(() => {
    writeFileSync(
      join(folder, '.env'),
      Object.entries(ENV)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(''),
    );
    jest.spyOn(process, 'cwd').mockReturnValue(folder);
  });
  afterEach(stopApplications);
  afterEach(() => {
    for (const name of Object.keys(ENV)) delete process.env[name];
  });
  afterAll(() => {
    jest.restoreAllMocks();
    code.remove();
    rmSync(folder, { recursive: true });
  });

  describe.each(PLATFORMS)('on %s', (platform) => {
    it('come from ConfigService in the guide, also those of features', async () => {
      // The file is imported before the variables are loaded.
      const { OAuthModule } = await code.import<{ OAuthModule: Type }>('src/oauth.module.ts');
      const imports = [ConfigModule.forRoot({ isGlobal: true }), OAuthModule];
      const { url, app } = await startApplication(platform, { imports });
      expect(await json(`${url}/.well-known/openid-configuration`)).toMatchObject({
        issuer: ENV.ISSUER,
        subject_types_supported: ['public', 'pairwise'],
      });
      expect((await json<Jwks>(`${url}/oauth/jwks`)).keys).toMatchObject([{ alg: 'RS256' }]);
      const server = app.get<OAuth2Server>(getOAuth2ServerToken());
      expect(await server.options.model.getClient('web', ENV.WEB_SECRET)).toMatchObject({ id: 'web' });
    });
  });

  it('come from functions that read process.env after ConfigModule has loaded it', async () => {
    const before = process.env['OAUTH2_SECRET'];
    const seen = jest.fn();
    const read = (name: keyof typeof ENV) => () => (seen(name), process.env[name]!);
    const features = [
      pages(),
      keys({ secret: read('WEB_SECRET'), algorithms: ['RS256'] }),
      openid({ pairwise: { salt: read('PAIRWISE_SALT') } }),
      dpop({ nonce: { secret: read('OAUTH2_SECRET') } }),
    ];
    const options = { model: store(), issuer: 'http://localhost:3000', secret: read('OAUTH2_SECRET'), features };
    const module = OAuth2Module.forRoot(options);
    expect([before, seen.mock.calls]).toEqual([undefined, []]);
    const { url } = await startApplication('express', { imports: [ConfigModule.forRoot(), module] });
    expect((await json<Jwks>(`${url}/oauth/jwks`)).keys).toHaveLength(1);
    expect(new Set(seen.mock.calls.flat())).toEqual(new Set(['WEB_SECRET', 'PAIRWISE_SALT', 'OAUTH2_SECRET']));
  });

  it('are rotated: keys in the store are encrypted with the first secret, and decrypted with all', async () => {
    const model = store();
    const start = (secret: string | readonly string[]) =>
      startApplication('express', {
        imports: [OAuth2Module.forRoot({ model, issuer: 'http://localhost:3000', secret, features: [keys()] })],
      });
    const kidsWith = async (secret: string | readonly string[]) => {
      const { url } = await start(secret);
      const { keys: published } = await json<Jwks>(`${url}/oauth/jwks`);
      await stopApplications();
      return published.map(({ kid }) => kid);
    };
    const [kid] = await kidsWith(text('old'));
    expect(await kidsWith([text('new'), text('old')])).toEqual([kid]);
    // The old secret is not needed any longer.
    expect(await kidsWith(text('new'))).toEqual([kid]);
  });

  it.each([
    ['keys()', () => keys({ secret: process.env['OAUTH2_SECRET']! }), '`secret` of `keys()` is not set'],
    ['from of keys()', () => keys({ from: undefined as never }), '`from` of `keys()` is not set'],
    [
      'dpop()',
      () => dpop({ nonce: { secret: process.env['OAUTH2_SECRET']! } }),
      '`secret` in `nonce` of `dpop()` is not set',
    ],
  ])('that are read too early are refused by %s with the remedy', (_, make, problem) => {
    expect(make).toThrow(`${problem}. A file that is loaded before \`ConfigModule\` does not see`);
    expect(make).toThrow('pass a function, such as `() => process.env.OAUTH2_SECRET!`');
  });

  it.each([
    ['keys()', [keys({ secret: () => undefined as never })], '`secret` of `keys()` is not set'],
    ['keys() without the secret of the module', [keys()], '`keys()` requires a `secret`'],
    [
      'dpop()',
      [dpop({ nonce: { secret: () => 'short' } })],
      '`secret` in `nonce` of `dpop()` must be a text of at least 32',
    ],
    ['dpop() without the secret of the module', [dpop({ nonce: {} })], '`nonce` of `dpop()` requires a secret'],
    [
      'openid()',
      [
        keys({ secret: text('keys'), algorithms: ['RS256'] }),
        openid({ pairwise: { salt: (config: ConfigService) => config.get('MISSING')! } }),
      ],
      '`pairwise.salt` of `openid()` is not set',
    ],
  ])('that a function of %s does not return stop the start', async (_, features, message) => {
    const config = { get: () => undefined };
    const imports = [OAuth2Module.forRoot({ model: store(), issuer: 'http://localhost:3000', features, config })];
    await expect(startApplication('express', { imports })).rejects.toThrow(message);
  });

  it('of tenants are their own, except the secret of the keys that they share', async () => {
    const seen: unknown[] = [];
    const options = OAuth2Module.forRootAsync({
      model: store(),
      features: [
        keys({ algorithms: ['ES256'] }),
        dpop({ nonce: { secret: (config: string) => (seen.push(config), text('nonce')) } }),
      ],
      tenants: {
        findTenant: ({ path }) => path.split('/')[1],
        createTenantOptions: (id) => ({ issuer: `http://localhost:3000/${id}`, secret: text(id), config: `of ${id}` }),
      },
      useFactory: () => ({ secret: text('shared'), config: 'shared' }),
      paths: { prefix: ':tenant/oauth' },
    });
    const { url } = await startApplication('express', { imports: [options] });
    const [acme, bolt] = [await json(`${url}/acme/oauth/jwks`), await json(`${url}/bolt/oauth/jwks`)];
    expect(acme).toEqual(bolt);
    expect(seen).toEqual(['shared', 'of acme', 'of bolt']);
  });

  it('are loaded by the command line tool from the same file', async () => {
    const { AppModule } = await code.import<{ AppModule: Type }>('src/app.module.ts');
    const target = targetOfContext(await NestFactory.createApplicationContext(AppModule, { logger: false }));
    try {
      const { command, args } = readCommand(['keys', 'rotate']);
      expect((await command!.run(args, target)).value).toMatchObject({ alg: 'RS256', state: 'current' });
      expect((await target.server(undefined, undefined)).options.issuer).toBe(ENV.ISSUER);
    } finally {
      await target.close();
    }
  });
});
