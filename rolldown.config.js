import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** The entries of the package by their import names. Code that several entries use is in shared files. */
const input = {
  index: 'src/index.ts',
  server: 'lib/index.ts',
  features: 'lib/features/index.ts',
  adapter: 'lib/adapter/index.ts',
  jose: 'lib/jose/index.ts',
  openid: 'lib/openid/index.ts',
  mcp: 'lib/profiles/mcp/index.ts',
  fapi: 'lib/profiles/fapi/index.ts',
  pages: 'src/pages/index.ts',
  accounts: 'src/accounts/index.ts',
  report: 'src/report/index.ts',
  upstreams: 'src/upstreams/index.ts',
  swagger: 'src/swagger/index.ts',
  'event-emitter': 'src/operations/bridges/event-emitter.ts',
  cqrs: 'src/operations/bridges/cqrs.ts',
  opentelemetry: 'lib/opentelemetry/index.ts',
  testing: 'src/testing/index.ts',
  stores: 'lib/stores/index.ts',
  'stores/memory': 'lib/stores/memory/index.ts',
  'stores/typeorm': 'lib/stores/typeorm/index.ts',
  'stores/redis': 'lib/stores/redis/index.ts',
  'stores/drizzle': 'lib/stores/drizzle/index.ts',
  'stores/prisma': 'lib/stores/prisma/index.ts',
  'stores/mongoose': 'lib/stores/mongoose/index.ts',
};

/**
 * `jose` is an ES module, which Jest cannot load in CommonJS applications without a flag. The published CommonJS build
 * includes it, with its licence at the top of the file. Builds of samples exclude it.
 */
const jose = new URL('node_modules/jose/LICENSE.md', import.meta.url);
const isInside = (format) => format === 'cjs' && existsSync(jose);
const external = (format) => [
  /^(?:node:|drizzle-orm\/)/,
  ...Object.keys(manifest.peerDependencies).filter((name) => name !== 'jose' || !isInside(format)),
];
const isOfJose = (id) => /[\\/]node_modules[\\/]jose[\\/]/.test(id);
const banner = (format) => (chunk) =>
  isInside(format) && chunk.moduleIds.some(isOfJose) ? `/*!\njose\n\n${readFileSync(jose, 'utf8').trim()}\n*/` : '';

/** Matches modules by their path inside of the repository. */
const within = (pattern) => (id) =>
  pattern.test(
    relative(import.meta.dirname, id)
      .split(sep)
      .join('/'),
  );

/** The features that every server installs. */
const CLASSIC = /^lib\/features\/(?:authorization-code\/|classic|client-credentials|implicit|password|refresh-token)/;

/** Code for requests that wait for a user, which features, pages and OpenID Connect share. */
const DEVICES = /^lib\/features\/device-authorization\/(?!device-authorization|device-endpoint)/;

/** Code that features share with the adapters of web frameworks. It requires neither Nest nor `jose`. */
const COMMON =
  /^lib\/(?:features\/(?:authorization-details\/shown-details|client-id-documents\/client-id-url|server-metadata\/derived-metadata)|jose\/(?:clock-tolerances|keys\/(?:find-keys|signing-keys)|private-key-jwt\/client-assertions)|remote\/refreshing-cache)\.ts$/;

/** Code of OpenID Connect without `jose`, for pages and adapters. */
const OPENID =
  /^lib\/openid\/(?:login-initiation|named-claims|prompt\/login-checks|logout\/logout-(?:capability|request))\.ts$/;

/** The names under which the module registers servers and elicitations. */
const SERVER_NAMES =
  /^src\/(?:module\/provider-names|pages\/elicitation\/elicitations-key|tenants\/tenant-servers-of)\.ts$/;

/** Code that the module shares with the stores and features. It requires no Nest. */
const WITHOUT_NEST =
  /^lib\/(?:stores\/contract\/(?:deadline|fair-share|outage|storage-location)|features\/personal-tokens\/(?:personal-tokens|token-text))\.ts$/;

/**
 * One file for each entry instead of one for each source, because opening files takes most of the time of an import.
 */
const bundle = (format) => ({
  // The command and its child processes are executed and never imported.
  input: format === 'esm' ? { ...input, cli: 'src/cli/main.ts', 'proof-store': 'src/proof/kills/main.ts' } : input,
  external: external(format),
  platform: 'node',
  tsconfig: 'tsconfig.json',
  output: {
    dir: `dist/${format}`,
    format,
    banner: banner(format),
    // In CommonJS applications of Nest 11, Jest cannot load modules by `import()` without a flag.
    dynamicImportInCjs: false,
    // The compiler also adds `"use strict"` to CommonJS.
    strict: true,
    comments: { jsdoc: false },
    esModule: true,
    exports: 'named',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
    codeSplitting: {
      groups: [
        { name: 'jose-library', test: isOfJose, priority: 2 },
        {
          name: 'engine',
          test: within(
            /^lib\/(?!stores\/|kit\/|adapter\/|features\/|jose\/|profiles\/|openid\/|remote\/|opentelemetry\/)/,
          ),
          priority: 1,
        },
        { name: 'engine', test: within(CLASSIC), priority: 1 },
        // The log of the module recognises errors of client resources. Features without Nest create them.
        { name: 'engine', test: within(/^lib\/remote\/client-resource\.ts$/), priority: 1 },
        // The module reads this capability, and OpenID Connect works without the module.
        { name: 'openid-capability', test: within(/^lib\/openid\/openid-capability\.ts$/), priority: 1 },
        { name: 'devices', test: within(DEVICES), priority: 1 },
        { name: 'without-nest', test: within(WITHOUT_NEST), priority: 1 },
        { name: 'common', test: within(COMMON), priority: 1 },
        { name: 'openid-parts', test: within(OPENID), priority: 1 },
        // The command and the attack lab use these names without loading the module.
        { name: 'server-names', test: within(SERVER_NAMES), priority: 1 },
        { name: 'adapter-parts', test: within(/^lib\/adapter\//), priority: 1 },
        {
          name: 'module',
          test: within(
            /^src\/(?!cli\/|testing\/|pages\/|accounts\/|upstreams\/|report\/|proof\/|swagger\/|operations\/bridges\/|module\/provider-names\.ts$|tenants\/tenant-servers-of\.ts$)/,
          ),
        },
        // Only the entry `nest-oauth2/report` and the command load the rules. Last, because a group takes what it imports.
        { name: 'rules', test: within(/^src\/report\/(?!index|oauth2-report)/) },
      ],
    },
  },
});

/**
 * The factories of the schematics. All versions of the engine load CommonJS, so this is the only format. The Nest CLI
 * runs them, and no application imports them.
 */
const schematics = {
  input: { schematics: 'src/schematics/index.ts' },
  external: /^node:/,
  platform: 'node',
  tsconfig: 'tsconfig.json',
  output: { dir: 'dist/cjs', format: 'cjs', comments: { jsdoc: false }, exports: 'named', entryFileNames: '[name].js' },
};

/** The command `nest-oauth2-migrate`, which is a package of its own. */
const migrate = {
  input: { cli: 'packages/migrate/src/cli.ts' },
  external: /^(?:node:|@babel\/)/,
  platform: 'node',
  tsconfig: 'tsconfig.json',
  output: { dir: 'packages/migrate/dist', format: 'esm', comments: { jsdoc: false }, entryFileNames: '[name].js' },
};

/** The languages of the package `nest-oauth2-languages`: folders, each of which is an entry. */
const LANGUAGES = readdirSync(new URL('packages/languages/src', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Declares the language that each entry exports, and the module format of the folder. */
const declarations = (format) => ({
  name: 'language-declarations',
  generateBundle() {
    const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName, source });
    for (const tag of LANGUAGES) {
      const type = `export declare const ${tag}: Required<Pick<Language, 'messages' | 'features'>>;\n`;
      emit(`${tag}.d.ts`, `import type { Language } from 'nest-oauth2/pages';\n${type}`);
    }
    if (format === 'cjs') emit('package.json', JSON.stringify({ type: 'commonjs' }));
  },
});

const languages = (format) => ({
  input: Object.fromEntries(LANGUAGES.map((tag) => [tag, `packages/languages/src/${tag}/index.ts`])),
  tsconfig: 'tsconfig.json',
  plugins: [declarations(format)],
  output: { dir: `packages/languages/dist/${format}`, format, exports: 'named', entryFileNames: '[name].js' },
});

/** This file imports nothing from rolldown, because samples build the library with their own copy of it. */
export default [bundle('esm'), bundle('cjs'), schematics, migrate, languages('esm'), languages('cjs')];
