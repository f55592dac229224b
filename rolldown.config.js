import { existsSync, readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** The entries of the package, named as they are imported. What several of them use goes into files of its own. */
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
  swagger: 'src/swagger/index.ts',
  'event-emitter': 'src/operations/bridges/event-emitter.ts',
  cqrs: 'src/operations/bridges/cqrs.ts',
  opentelemetry: 'lib/opentelemetry/index.ts',
  testing: 'src/testing/index.ts',
  stores: 'lib/stores/index.ts',
  'stores/memory': 'lib/stores/memory/index.ts',
  'stores/typeorm': 'lib/stores/typeorm/index.ts',
  'stores/redis': 'lib/stores/redis/index.ts',
};

/**
 * `jose` is an ES module only, which Jest without its flag for these cannot load: the CommonJS build that is published has it
 * inside, and its licence at the top of the file it is in. Samples build without it.
 */
const jose = new URL('node_modules/jose/LICENSE.md', import.meta.url);
const isInside = (format) => format === 'cjs' && existsSync(jose);
const external = (format) => [
  /^node:/,
  ...Object.keys(manifest.peerDependencies).filter((name) => name !== 'jose' || !isInside(format)),
];
const isOfJose = (id) => /[\\/]node_modules[\\/]jose[\\/]/.test(id);
const banner = (format) => (chunk) =>
  isInside(format) && chunk.moduleIds.some(isOfJose) ? `/*!\njose\n\n${readFileSync(jose, 'utf8').trim()}\n*/` : '';

/** Matches modules by their path inside the repository, wherever that lies. */
const within = (pattern) => (id) =>
  pattern.test(
    relative(import.meta.dirname, id)
      .split(sep)
      .join('/'),
  );

/** The features that every server has. */
const CLASSIC = /^lib\/features\/(?:authorization-code\/|classic|client-credentials|implicit|password|refresh-token)/;

/** What features, pages and OpenID Connect have of requests that wait for a user. */
const DEVICES = /^lib\/features\/device-authorization\/(?!device-authorization|device-endpoint)/;

/** What features have in common with the adapters of web frameworks: none of it needs Nest or `jose`. */
const COMMON =
  /^lib\/(?:features\/(?:authorization-details\/shown-details|client-id-documents\/client-id-url|server-metadata\/derived-metadata)|jose\/keys\/(?:find-keys|signing-keys)|remote\/renewed)\.ts$/;

/** What pages and adapters use of OpenID Connect without `jose`. */
const OPENID =
  /^lib\/openid\/(?:login-initiation|named-claims|prompt\/presence|logout\/logout-(?:capability|request))\.ts$/;

/** How the module names its servers. */
const SERVER_NAMES = /^src\/(?:module\/provider-names|tenants\/tenants-of)\.ts$/;

/** What the module has in common with the stores, which hosts without Nest have too. */
const WITHOUT_NEST = /^lib\/stores\/(?:deadline|outage|schema|secret-check-limiter|storage|storage-location)\.ts$/;

/** A file for each entry and not for each source: finding and opening files is most of what an import costs. */
const bundle = (format) => ({
  // The command is started, and imported by nobody.
  input: format === 'esm' ? { ...input, cli: 'src/cli/main.ts' } : input,
  external: external(format),
  platform: 'node',
  tsconfig: 'tsconfig.json',
  output: {
    dir: `dist/${format}`,
    format,
    banner: banner(format),
    // Jest without its flag for ES modules, as hosts of Nest 11 have it, can load nothing by `import()`.
    dynamicImportInCjs: false,
    // As the compiler writes CommonJS.
    strict: true,
    esModule: true,
    exports: 'named',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
    codeSplitting: {
      groups: [
        {
          name: 'engine',
          test: within(
            /^lib\/(?!stores\/|kit\/|adapter\/|features\/|jose\/|profiles\/|openid\/|remote\/|opentelemetry\/)/,
          ),
          priority: 1,
        },
        { name: 'engine', test: within(CLASSIC), priority: 1 },
        // The module's log reads which errors are those of a client's resource; features without Nest make them.
        { name: 'engine', test: within(/^lib\/remote\/client-resource\.ts$/), priority: 1 },
        // The module looks whether it is there, and OpenID Connect needs no module.
        { name: 'openid-capability', test: within(/^lib\/openid\/openid-capability\.ts$/), priority: 1 },
        { name: 'devices', test: within(DEVICES), priority: 1 },
        { name: 'store', test: within(WITHOUT_NEST), priority: 1 },
        { name: 'common', test: within(COMMON), priority: 1 },
        { name: 'openid-parts', test: within(OPENID), priority: 1 },
        // The command finds servers by it, without the module.
        { name: 'server-names', test: within(SERVER_NAMES), priority: 1 },
        { name: 'adapter-parts', test: within(/^lib\/adapter\//), priority: 1 },
        {
          name: 'module',
          test: within(
            /^src\/(?!cli\/|testing\/|pages\/|swagger\/|operations\/bridges\/|module\/provider-names\.ts$|tenants\/tenants-of\.ts$)/,
          ),
        },
      ],
    },
  },
});

/** Imports nothing of rolldown: the samples build the library by their own. */
export default [bundle('esm'), bundle('cjs')];
