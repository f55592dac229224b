import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AddOptions } from '../../../src/schematics/choices.js';
import { add } from '../../../src/schematics/index.js';
import { StagedApplication } from './staged-application.js';

const ESM = { name: 'shop', type: 'module', dependencies: { '@nestjs/core': '^12.0.1' } };

const STORES: AddOptions[] = [
  { store: 'memory' },
  { store: 'redis' },
  { store: 'mongoose' },
  ...['typeorm', 'drizzle', 'prisma'].flatMap((store) =>
    ['postgres', 'mariadb', 'sqlite'].map((database) => ({ store, database })),
  ),
];
const CASES: AddOptions[] = [
  { store: 'memory' },
  ...STORES.map((options) => Object.assign(options, { features: 'pages,openid,mcp', http: 'fastify' })),
  ...STORES.map(({ store, database }) => ({ store, database, features: 'accounts' })),
  { api: true },
];

/** Values of 32 random bytes in base64url. */
const GENERATED = /[\w-]{43}/;

describe('nest add nest-oauth2', () => {
  it.each(CASES)('writes complete files without secrets, and nothing in a second run, with %j', async (options) => {
    const application = await new StagedApplication().run(add(options));
    const files = application.files();
    for (const [path, text] of Object.entries(files)) {
      expect({ path, rest: /\{\{|\/\/#/.exec(text) }).toEqual({ path, rest: null });
      expect({ path, secret: GENERATED.exec(text)?.[0] }).toEqual({ path, secret: undefined });
    }
    expect(files).not.toHaveProperty('.env');
    expect(files['src/oauth/oauth.module.ts']).toContain('export class OAuthModule');
    expect(files['test/oauth.e2e-spec.ts']).toContain("from '../src/app.module'");
    expect(files['.env.example']).toMatch(/^OAUTH2_ISSUER=http/m);
    expect(files['.gitignore']).toMatch(/^\.env$/m);
    const secrets = { name: 'run-schematic', options: expect.objectContaining({ name: 'secrets' }) };
    expect(application.tasks).toContainEqual(secrets);

    application.messages.length = 0;
    await application.run(add(options));
    expect(application.files()).toEqual(files);
    expect(application.messages).toEqual([]);
  });

  it('imports the module in the root module of a CommonJS application', async () => {
    const application = await new StagedApplication().run(add({}));
    const text = application.read('src/app.module.ts');
    expect(text).toContain("import { OAuthModule } from './oauth/oauth.module';\n");
    expect(text).toContain('imports: [OAuthModule],');
    expect(text).toContain('controllers: [AppController],');
  });

  it('ends relative imports of an ES module in .js', async () => {
    const application = await new StagedApplication({ 'package.json': ESM }).run(add({ store: 'typeorm' }));
    const sources = Object.entries(application.files()).filter(([path]) => path.startsWith('src/oauth/'));
    const imports = sources.flatMap(([, text]) => [...text.matchAll(/from '(\.[^']*)'/g)].map(([, path]) => path));
    expect(imports.length).toBeGreaterThan(10);
    expect(imports.filter((path) => !path!.endsWith('.js'))).toEqual([]);
    expect(application.read('src/app.module.ts')).toContain("from './oauth/oauth.module.js'");
  });

  it('keeps a file that the user has changed, and writes nothing', async () => {
    const application = await new StagedApplication().run(add({ store: 'typeorm' }));
    application.write('src/oauth/users.service.ts', '// my own');
    const before = application.files();
    await application.run(add({ store: 'typeorm' }));
    expect(application.files()).toEqual(before);
    expect(application.messages.at(-1)).toMatch(/^Nothing was written.*\n {2}src\/oauth\/users\.service\.ts\n/);
  });

  it('writes to another folder with --path, and reports that the root module imports the first one', async () => {
    const application = await new StagedApplication().run(add({ store: 'drizzle' }));
    const before = application.files();
    await application.run(add({ store: 'drizzle', path: 'sso' }));
    expect(application.files()).toMatchObject({
      ...before,
      'package.json': expect.any(String),
      '.prettierignore': expect.any(String),
      'src/sso/oauth.module.ts': expect.any(String),
      'test/sso.e2e-spec.ts': expect.stringContaining("from '../src/sso/database'"),
      'test/sso-attack-lab.e2e-spec.ts': expect.stringContaining("from '../src/sso/database'"),
      'drizzle.sso.config.mjs': expect.stringContaining('./src/sso/schema.ts'),
    });
    const warning = 'src/app.module.ts was not changed, because it already contains the name OAuthModule.';
    expect(application.messages.at(-2)).toContain(warning);
  });

  it('names the scripts after --path, so that those of the first folder stay', async () => {
    const application = await new StagedApplication().run(add({ store: 'prisma' }));
    await application.run(add({ store: 'drizzle', path: 'sso' }));
    expect(application.json('package.json')['scripts']).toMatchObject({
      'oauth:migrate': 'prisma generate && nest start --entryFile oauth/migrate',
      'oauth:seed': 'nest start --entryFile oauth/seed',
      'sso:migrate': expect.stringContaining('drizzle.sso.config.mjs'),
      'sso:seed': 'nest start --entryFile sso/seed',
    });
    expect(application.messages.at(-1)).toContain('npm run sso:migrate');
    expect(application.read('src/sso/schema.ts')).toContain('npm run sso:migrate');
  });

  it('keeps secrets and databases out of commits and Docker images, and generated files from prettier', async () => {
    const application = await new StagedApplication().run(add({ store: 'drizzle' }));
    expect(application.read('.gitignore')).toBe('node_modules\ndist\n.env\noauth.sqlite*\n');
    expect(application.read('.dockerignore')).toBe('.env\noauth.sqlite*\nnode_modules\n');
    expect(application.read('.prettierignore')).toBe('src/oauth/migrations\n');
    expect(application.files()).not.toHaveProperty('.npmignore');
  });

  it('adds the secrets to .npmignore if it exists, because npm then ignores .gitignore', async () => {
    const files = { '.npmignore': 'test\n', '.gitignore': 'dist\n' };
    const application = await new StagedApplication(files).run(add({ store: 'typeorm' }));
    expect(application.read('.npmignore')).toBe('test\n.env\noauth.sqlite*\n');
    expect(application.read('.gitignore')).toBe('dist\n.env\noauth.sqlite*\n');
  });

  it.each([
    ['typeorm', 'data-source.ts'],
    ['drizzle', 'database.ts'],
    ['prisma', 'database.ts'],
  ])('creates the SQLite file of %s so that only its owner may read it', async (store, file) => {
    const application = await new StagedApplication().run(add({ store }));
    expect(application.read(`src/oauth/${file}`)).toContain("closeSync(openSync(file, 'a', 0o600));");
  });

  it('handles errors of the PostgreSQL pool of Drizzle, so that a restart of the database ends no process', async () => {
    const application = await new StagedApplication().run(add({ store: 'drizzle/postgres' }));
    expect(application.read('src/oauth/database.ts')).toContain("pool.on('error',");
  });

  it('keeps the record of its Drizzle migrations apart from that of the application', async () => {
    const application = await new StagedApplication().run(add({ store: 'drizzle' }));
    expect(application.read('drizzle.oauth.config.mjs')).toContain("table: '__drizzle_migrations_oauth'");
  });

  it('uses the connection of MongooseModule if the application has @nestjs/mongoose', async () => {
    const own = await new StagedApplication().run(add({ store: 'mongoose' }));
    expect(own.read('src/oauth/database.ts')).toContain("setting('MONGODB_URL')");
    const dependencies = { '@nestjs/core': '^11.0.1', '@nestjs/mongoose': '^11.0.4', mongoose: '^9.0.0' };
    const shared = await new StagedApplication({ 'package.json': { dependencies } }).run(add({ store: 'mongoose' }));
    expect(shared.read('src/oauth/database.ts')).not.toContain('MONGODB_URL');
    expect(shared.read('src/oauth/database.module.ts')).toContain('inject: [getConnectionToken()]');
    expect(shared.read('src/oauth/seed.ts')).toContain('createApplicationContext(AppModule');
    expect(shared.json('package.json')['dependencies']).toEqual(expect.objectContaining({ mongoose: '^9.0.0' }));
  });

  it('keeps variables, ignored files, dependencies and scripts that exist', async () => {
    const manifest = {
      name: 'shop',
      scripts: { 'oauth:seed': 'mine' },
      dependencies: { '@nestjs/core': '^11.0.1', typeorm: '^0.3.20' },
    };
    const files = { '.env.example': 'DATABASE_URL=mine', '.gitignore': 'dist\n/.env', 'package.json': manifest };
    const application = await new StagedApplication(files).run(add({ store: 'typeorm/postgres' }));
    expect(application.read('.env.example')).toMatch(/^DATABASE_URL=mine\n# .*\nOAUTH2_SECRET=\n/);
    expect(application.read('.env.example')).not.toContain('postgres://');
    expect(application.read('.gitignore')).toBe('dist\n/.env');
    expect(application.json('package.json')).toMatchObject({
      scripts: { 'oauth:seed': 'mine', 'oauth:migrate': expect.stringContaining('typeorm migration:run') },
      dependencies: { typeorm: '^0.3.20', pg: expect.any(String) },
    });
  });

  it('installs added dependencies unless --skip-install is set', async () => {
    const install = expect.objectContaining({ name: 'node-package' });
    expect((await new StagedApplication().run(add({ store: 'redis' }))).tasks).toContainEqual(install);
    const skipped = await new StagedApplication().run(add({ store: 'redis', skipInstall: true }));
    expect(skipped.tasks).not.toContainEqual(install);
    expect(skipped.messages.join('\n')).toContain('1. npm install');
    expect((await new StagedApplication().run(add({ store: 'memory' }))).tasks).not.toContainEqual(install);
  });

  it('adds the packages of passkeys and authenticator apps in the versions of the tests, for a server only', async () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const names = ['@simplewebauthn/server', 'otplib', 'uqr'];
    const versions = Object.fromEntries(names.map((name) => [name, devDependencies[name]]));
    const application = await new StagedApplication().run(add({ features: 'accounts' }));
    expect(application.json('package.json')['dependencies']).toMatchObject(versions);
    const api = await new StagedApplication().run(add({ api: true, features: 'accounts' }));
    for (const name of names) expect(api.json('package.json')['dependencies']).not.toHaveProperty([name]);
  });

  it('asks for no first user with accounts, because users sign up', async () => {
    const application = await new StagedApplication().run(add({ store: 'typeorm', features: 'accounts' }));
    expect(application.read('.env.example')).toContain('SEED_REDIRECT_URI=');
    expect(application.read('.env.example')).not.toContain('SEED_PASSWORD');
    expect(application.messages.at(-1)).toContain('sign up on http://localhost:3000/oauth/sign_up');
  });

  it('selects the Fastify adapter in main.ts', async () => {
    const application = await new StagedApplication().run(add({ http: 'fastify' }));
    expect(application.read('src/main.ts')).toContain('NestFactory.create<NestFastifyApplication>(');
    expect(application.read('src/main.ts')).toContain("} from '@nestjs/platform-fastify';\n");
    expect(application.json('package.json')['dependencies']).toMatchObject({ '@nestjs/platform-fastify': '^11.0.1' });
  });

  it('detects Fastify in package.json', async () => {
    const dependencies = { '@nestjs/core': '^11.0.1', '@nestjs/platform-fastify': '^11.0.1' };
    const main = "import { FastifyAdapter } from '@nestjs/platform-fastify';\n";
    const files = { 'package.json': { dependencies }, 'src/main.ts': main };
    const application = await new StagedApplication(files).run(add({}));
    expect(application.read('test/oauth.e2e-spec.ts')).toContain('new FastifyAdapter()');
    expect(application.read('src/main.ts')).toBe(main);
  });

  it('reports a root module and a main.ts that it cannot edit', async () => {
    const files = {
      'src/app.module.ts': '@Module(metadata)\nexport class AppModule {}\n',
      'src/main.ts': 'start();\n',
    };
    const application = await new StagedApplication(files).run(add({ http: 'fastify' }));
    expect(application.files()).toMatchObject(files);
    expect(application.messages[0]).toMatch(/^src\/app\.module\.ts was not changed.* Add OAuthModule of "\.\/oauth\//);
    expect(application.messages[1]).toMatch(/^src\/main\.ts was not changed.* Pass new FastifyAdapter\(\)/);
  });

  it.each<[AddOptions, string]>([
    [{ store: 'oracle' }, '--store must be one of: memory'],
    [{ store: 'typeorm', database: 'oracle' }, '--database must be one of: postgres'],
    [{ store: 'redis', database: 'postgres' }, '--database is for stores with an SQL database'],
    [{ http: 'koa' }, '--http must be one of: express, fastify'],
    [{ features: 'pages,saml' }, '--features must be one of: pages, openid, mcp, accounts. Got "saml"'],
    [{ store: 'mongoose/sqlite' }, '--database is for stores with an SQL database'],
    [{ path: '../outside' }, '--path must be the name of a folder'],
  ])('rejects %j', async (options, message) => {
    const application = new StagedApplication();
    const before = application.files();
    await expect(application.run(add(options))).rejects.toThrow(message);
    expect(application.files()).toEqual(before);
  });

  it.each([
    ['no package.json', { 'package.json': null }],
    ['no Nest', { 'package.json': { dependencies: {} } }],
  ])('rejects a folder with %s', async (_, files) => {
    await expect(new StagedApplication(files).run(add({}))).rejects.toThrow('in the folder of a Nest application');
  });

  it('ships at most 90 kB of templates', () => {
    const folder = join(import.meta.dirname, '../../../schematics/templates');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.txt'));
    const sizes = files.map((name) => readFileSync(join(folder, name)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(92_160);
  });
});
