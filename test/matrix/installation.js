import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run-command.js';
import { OWN_VITEST, vitestFor } from './vitest-versions.js';

const sources = fileURLToPath(new URL('application', import.meta.url));
const pageBrowser = fileURLToPath(new URL('../src/pages/page-browser.ts', import.meta.url));

/**
 * The versions of this repository of packages with a binary for each platform. A registry may lack some binaries of a
 * newer version for a while, and Yarn requires all of them.
 */
const [swc, resolver] = ['@swc/core', 'unrs-resolver'].map((name) =>
  createRequire(import.meta.url)(`${name}/package.json`),
);

/** The settings of each form of an application: the major version of Nest, its module format and its compiler. */
const FORMS = {
  '11-cjs': { nest: '^11', type: 'commonjs', typescript: '^5.9' },
  '11-esm': { nest: '^11', type: 'module', typescript: '^5.9' },
  12: { nest: '^12', type: 'module', typescript: '^6' },
};

/**
 * Creates the application of these cells, which differ in HTTP adapter, Node.js and test runner only. Installs it with
 * the package manager and builds it. Returns its folder.
 */
export async function makeApplication({ workspace, tarball, tools, cells }) {
  const [{ nest, pm }] = cells;
  const ofNodes = cells.filter(({ runner }) => runner === 'vitest').map(({ node }) => vitestFor(node));
  const vitests = new Set(ofNodes.filter((version) => version !== OWN_VITEST));
  const folder = join(workspace, `nest-${nest}-${pm}`);
  const form = FORMS[nest];
  await cp(sources, folder, { recursive: true });
  await cp(pageBrowser, join(folder, 'test/page-browser.ts'));
  const write = (name, content) => writeFile(join(folder, name), JSON.stringify(content, undefined, 2));
  await write('package.json', manifestOf(form, tarball));
  await write('tsconfig.json', { compilerOptions: COMPILER_OPTIONS, include: ['src'] });
  await write('jest.config.json', jestConfig(form));
  await writeFile(join(folder, 'vitest.config.mjs'), VITEST_CONFIG);
  await INSTALL[pm](folder, tools);
  await run(process.execPath, ['node_modules/typescript/bin/tsc'], { cwd: folder });
  for (const version of vitests) {
    const nested = join(folder, `vitest-${version}`);
    await mkdir(nested);
    const manifest = {
      name: `vitest-${version}`,
      private: true,
      resolutions: { vite: VITE },
      devDependencies: { vitest: `^${version}` },
    };
    await writeFile(join(nested, 'package.json'), JSON.stringify(manifest));
    await INSTALL[pm](nested, tools);
  }
  return folder;
}

function manifestOf({ nest, type, typescript }, tarball) {
  const ofNest = ['common', 'core', 'platform-express', 'platform-fastify'].map((name) => [`@nestjs/${name}`, nest]);
  return {
    name: 'application',
    private: true,
    type,
    resolutions: { 'unrs-resolver': resolver.version, vite: VITE },
    dependencies: {
      ...Object.fromEntries(ofNest),
      'nest-oauth2': `file:${tarball}`,
      'reflect-metadata': '^0.2.2',
      rxjs: '^7.8.2',
    },
    devDependencies: {
      '@swc/core': swc.version,
      '@swc/jest': '^0.2.39',
      '@types/node': '^24',
      jest: '^30.5.2',
      typescript,
      vite: VITE,
      vitest: `^${OWN_VITEST}`,
    },
  };
}

/** Version 8.4.0 has an optional dependency that is not in every registry, without which Yarn installs nothing. */
const VITE = '~8.3.8';

const COMPILER_OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
  types: ['node'],
  rootDir: 'src',
  outDir: 'dist',
};

function jestConfig({ type }) {
  const isModule = type === 'module';
  const compiler = {
    swcrc: false,
    module: { type: isModule ? 'es6' : 'commonjs' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
  };
  return {
    testMatch: ['<rootDir>/test/*.test.ts'],
    testEnvironment: 'node',
    testTimeout: 30_000,
    extensionsToTreatAsEsm: isModule ? ['.ts'] : [],
    transform: { '\\.ts$': ['@swc/jest', compiler] },
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'] },
  };
}

/** `dist` is loaded by Node.js, as `node dist/main.js` does. Vitest compiles the sources. */
const VITEST_CONFIG = `export default {
  test: {
    globals: true,
    include: ['test/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    server: { deps: { external: [/\\/dist\\//] } },
  },
};
`;

/** Installs the dependencies of an application without install scripts, by package manager. */
const INSTALL = {
  npm: (folder) =>
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder }),

  async pnpm(folder, { pnpm }) {
    const options = ['--ignore-scripts', '--prefer-offline', '--no-frozen-lockfile'];
    await run(process.execPath, [pnpm, 'install', ...options], { cwd: folder });
  },

  async yarn(folder, { yarn }) {
    const registry = (await run('npm', ['config', 'get', 'registry'], { cwd: folder })).trim();
    const settings = {
      YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, ''),
      YARN_NODE_LINKER: 'node-modules',
      YARN_ENABLE_SCRIPTS: 'false',
      YARN_ENABLE_TELEMETRY: 'false',
      YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    };
    // A lock file marks the folder as a project of its own.
    await writeFile(join(folder, 'yarn.lock'), '');
    await run(process.execPath, [yarn, 'install'], { cwd: folder, env: settings });
  },
};

/** Runs the tests of an application in one cell. */
export async function runCell(folder, { nest, http, node, runner }, tools) {
  const { type } = FORMS[nest];
  const env = { HTTP_ADAPTER: http, NODE_VERSION: node, CI: 'true' };
  const jest = [...(type === 'module' ? ['--experimental-vm-modules'] : []), 'node_modules/jest/bin/jest.js'];
  const version = vitestFor(node);
  const vitest = [join(version === OWN_VITEST ? '' : `vitest-${version}`, 'node_modules/vitest/vitest.mjs'), 'run'];
  const parameters = runner === 'jest' ? [...jest, '--config', 'jest.config.json', '--ci', '--runInBand'] : vitest;
  await run(tools.node(node), parameters, { cwd: folder, env });
}
