import { describe, expect, it } from '@jest/globals';
import { add } from '../../../src/schematics/index.js';
import { DRIZZLE, MONGOOSE, PRISMA, TYPEORM } from './existing-applications.js';
import { StagedApplication } from './staged-application.js';

const addTo = (files: Record<string, string | object>, options: Parameters<typeof add>[0] = {}) =>
  new StagedApplication(files).run(add({ existing: true, features: 'openid', ...options }));

describe('nest add nest-oauth2 --existing', () => {
  it.each([
    ['Prisma', PRISMA],
    ['TypeORM', TYPEORM],
    ['Drizzle', DRIZZLE],
    ['Mongoose', MONGOOSE],
  ])('adds no connection, users or reader of settings to an application with %s', async (_, files) => {
    const application = await addTo(files);
    const written = application.files();
    for (const [path, text] of Object.entries(written)) {
      expect({ path, rest: /\{\{|\/\/#/.exec(text) }).toEqual({ path, rest: null });
    }
    const paths = Object.keys(written).filter((path) => path.startsWith('src/oauth/'));
    expect(paths.toSorted()).toEqual([
      'src/oauth/health.controller.ts',
      'src/oauth/oauth-users.ts',
      'src/oauth/oauth.module.ts',
      'src/oauth/whoami.controller.ts',
    ]);
    expect(written['.env.example']!.match(/^\w+(?==)/gm)).toEqual(['OAUTH2_SECRET', 'OAUTH2_ISSUER']);
    expect(written['.env.example']).toContain('OAUTH2_ISSUER=http://localhost:4000\n');
    expect(written['src/oauth/oauth.module.ts']).toContain("config.getOrThrow<string>('OAUTH2_SECRET')");
    const added = ['jose', ...Object.keys(files['package.json'].dependencies)];
    expect(new Set(Object.keys(application.json('package.json')['dependencies']!))).toEqual(new Set(added));

    application.messages.length = 0;
    await application.run(add({ existing: true, features: 'openid' }));
    expect(application.files()).toEqual(written);
    expect(application.messages).toEqual([]);
  });

  it('uses the client, the hashes and the columns of an application with Prisma', async () => {
    const application = await addTo(PRISMA);
    expect(application.read('src/oauth/oauth.module.ts')).toContain('imports: [PrismaModule],');
    expect(application.read('src/oauth/oauth.module.ts')).toContain('new PrismaStore(prisma, { users })');
    const users = application.read('src/oauth/oauth-users.ts');
    expect(users).toContain('nobody = hash(randomUUID(), 12);');
    expect(users).toContain('passwordHash: string | null;');
    expect(users).toContain('typed.trim().toLowerCase()');
    expect(users).toContain('this.prisma.member.findUnique');
    expect(users).toContain('id: String(row.id)');
    expect(users).toContain('BigInt(id)');
    expect(users).toContain('roles: [row.role]');
    expect(users).toContain('role: row.role,');
    expect(application.read('test/oauth-user.ts')).toContain('born: new Date(),');
    expect(application.read('prisma/schema.prisma').match(/^model \w+/gm)).toEqual([
      'model Order',
      'model Member',
      'model OAuthClient',
      'model OAuthGrant',
      'model OAuthToken',
    ]);
    const [, migration] = Object.entries(application.files()).find(([path]) => path.endsWith('migration.sql'))!;
    expect(migration).not.toContain('oauth_users');
  });

  it('lets Jest run the client that Prisma 7 generates for a CommonJS application', async () => {
    const schema = PRISMA['prisma/schema.prisma'].replace('prisma-client-js', 'prisma-client');
    const files = { ...PRISMA, 'prisma/schema.prisma': schema, 'test/jest-e2e.json': { rootDir: '.' } };
    const manifest = { ...PRISMA['package.json'], devDependencies: { jest: '^30.0.0' } };
    const application = await addTo({ ...files, 'package.json': manifest });
    expect(application.json('test/jest-e2e.json')).toEqual({
      rootDir: '.',
      moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
    });
    expect(application.messages.at(-1)).toContain('NODE_OPTIONS=--experimental-vm-modules npm run test:e2e');

    const esm = await addTo({ ...files, 'package.json': { ...manifest, type: 'module' } });
    expect(esm.json('test/jest-e2e.json')).toEqual({ rootDir: '.' });
    expect(esm.messages.at(-1)).not.toContain('NODE_OPTIONS');
    const own = { moduleNameMapper: { '^src/(.*)$': '<rootDir>/../src/$1' } };
    const mapped = await addTo({ ...files, 'package.json': manifest, 'test/jest-e2e.json': own });
    expect(mapped.json('test/jest-e2e.json')).toEqual(own);
  });

  it('adds the tables to the lists of an application with TypeORM or Drizzle', async () => {
    const typeorm = await addTo(TYPEORM);
    expect(typeorm.read('src/database.module.ts')).toContain('entities: [...oauthEntities(), Account]');
    expect(typeorm.read('src/oauth/oauth-users.ts')).toContain('password: true');
    const drizzle = await addTo(DRIZZLE);
    expect(drizzle.read('src/db/schema.ts')).toContain("oauthTables('sqlite')");
    expect(drizzle.read('src/oauth/oauth-users.ts')).toContain("import { DRIZZLE } from '../db/database.module';");
  });

  it('enables shutdown hooks, and follows the global prefix', async () => {
    const application = await addTo(PRISMA, { features: 'mcp' });
    expect(application.read('src/main.ts')).toMatch(/app\.enableShutdownHooks\(\);\n {2}await app\.listen/);
    expect(application.read('test/oauth.e2e-spec.ts')).toContain("app.setGlobalPrefix('/api');");
    expect(application.read('test/oauth.e2e-spec.ts')).toContain('`/api/oauth/authorize?');
    expect(application.messages.at(-1)).toContain('http://localhost:4000/api/oauth/login');
  });

  it('writes the health routes to another path if the application has a health controller', async () => {
    const health = "@Controller('health')\nexport class HealthController {}\n";
    const application = await addTo({ ...PRISMA, 'src/health.controller.ts': health });
    expect(application.read('src/oauth/health.controller.ts')).toContain("@Controller('oauth-health')");
  });

  it('names the option if it is omitted, and no terminal can be asked', async () => {
    const application = await addTo(PRISMA, { existing: undefined, store: 'memory' });
    expect(application.messages[0]).toBe(
      'The application has a database connection, PrismaService, and users, Member in prisma/schema.prisma. ' +
        'To use them, add the option --existing.',
    );
    const declined = await addTo(PRISMA, { existing: false, store: 'memory' });
    expect(declined.messages.join('\n')).not.toContain('--existing');
  });

  it('accepts the store `existing` as the same option', async () => {
    const application = await addTo(DRIZZLE, { existing: undefined, store: 'existing' });
    expect(application.read('src/oauth/oauth.module.ts')).toContain('new DrizzleStore(db, { users })');
  });

  it.each([
    ['no connection', {}, 'src contains no connection to a database'],
    ['no users', { ...DRIZZLE, 'src/db/schema.ts': '' }, 'No table of users was found for DRIZZLE'],
    [
      'a connection that no module exports',
      { ...PRISMA, 'src/prisma.module.ts': '' },
      'No module exports PrismaService',
    ],
  ])('rejects an application with %s, and writes nothing', async (_, files, message) => {
    const application = new StagedApplication(files);
    const before = application.files();
    await expect(application.run(add({ existing: true }))).rejects.toThrow(message);
    expect(application.files()).toEqual(before);
  });

  it('names an entity `User` apart from the type of this library, and accepts users without a name', async () => {
    const entity = TYPEORM['src/account.entity.ts']
      .replace('class Account', 'class User')
      .replace(
        '  @CreateDateColumn',
        "  @Column('varchar', { nullable: true })\n  name?: string;\n\n  @CreateDateColumn",
      );
    const application = await addTo({ ...TYPEORM, 'src/account.entity.ts': entity });
    for (const path of ['src/oauth/oauth-users.ts', 'test/oauth-user.ts']) {
      expect(application.read(path)).toMatch(/import \{ User as UserTable \} from '\.\.\/(?:src\/)?account\.entity/);
      expect(application.read(path)).toContain('getRepository(UserTable)');
    }
    expect(application.read('src/oauth/oauth-users.ts')).toContain('  name?: string;');
  });

  it.each([
    ['@Prop({ required: true, unique: true, lowercase: true })\n  username', true],
    ['@Prop({ required: true, unique: true })\n  username', false],
    ['@Prop({ lowercase: true }) city: string;\n  @Prop({ unique: true })\n  username', false],
  ])('reads from a schema of Mongoose whether names are in lower case: %j', async (property, isLowerCase) => {
    const schema = MONGOOSE['src/user.schema.ts'].replace(
      '@Prop({ required: true, unique: true })\n  username',
      property,
    );
    const application = await addTo({ ...MONGOOSE, 'src/user.schema.ts': schema });
    expect(application.read('src/oauth/oauth-users.ts').includes('typed.trim().toLowerCase()')).toBe(isLowerCase);
  });

  it.each([
    ['Prisma', PRISMA],
    ['Drizzle', DRIZZLE],
    ['Mongoose', { ...MONGOOSE, 'src/user.schema.ts': MONGOOSE['src/user.schema.ts'].replace('username', 'email') }],
  ])('writes accounts over the users of an application with %s, and no users of its own', async (_, files) => {
    const application = await addTo(files, { features: 'openid,accounts' });
    const written = application.files();
    for (const [path, text] of Object.entries(written)) {
      expect({ path, rest: /\{\{|\/\/#/.exec(text) }).toEqual({ path, rest: null });
    }
    expect(written).not.toHaveProperty(['src/oauth/users.service.ts']);
    expect(written['src/oauth/account-mailer.ts']).toContain("config.getOrThrow<string>('OAUTH2_ISSUER')");
    expect(written['src/oauth/oauth-users.ts']).toContain('implements AccountUsers');
    expect(written['src/oauth/oauth-users.ts']).not.toContain('findByUsername');
    expect(written['src/oauth/oauth.module.ts']).toContain('users: { useExisting: OAuthUsers }');
    expect(application.json('package.json')['dependencies']).toMatchObject({ otplib: '^13.5.0' });
    application.messages.length = 0;
    await application.run(add({ existing: true, features: 'openid,accounts' }));
    expect(application.messages).toEqual([]);
  });

  it('lets nobody sign up until the remaining columns of a new user are chosen', async () => {
    const prisma = await addTo(PRISMA, { features: 'accounts' });
    expect(prisma.read('src/oauth/oauth.module.ts')).toContain('signUp: false');
    expect(prisma.read('src/oauth/oauth-users.ts')).toContain('born: new Date(),');
    expect(prisma.messages.at(-1)).toContain('Choose born of new users');
    const schema = DRIZZLE['src/db/schema.ts'].replace("text('city').notNull()", "text('city')");
    const drizzle = await addTo({ ...DRIZZLE, 'src/db/schema.ts': schema }, { features: 'accounts' });
    expect(drizzle.read('src/oauth/oauth.module.ts')).toContain("signUp: 'name'");
    expect(drizzle.messages.at(-1)).not.toContain('of new users');
  });

  it('rejects accounts for users without an e-mail address, and writes nothing', async () => {
    const application = new StagedApplication(TYPEORM);
    const before = application.files();
    const refused = application.run(add({ existing: true, features: 'openid,accounts' }));
    await expect(refused).rejects.toThrow('Users of Account sign in with `username`. Add a unique column `email`');
    expect(application.files()).toEqual(before);
  });
});
