import { readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { dts } from 'rollup-plugin-dts';
import bundles from './rolldown.config.js';

/** The folder of the declarations that the compiler creates, one file for each source. */
const declarations = join(import.meta.dirname, 'dist/declarations');
const declarationOf = (source) => join(declarations, source.replace(/\.ts$/, '.d.ts'));

/**
 * The plugin without its last hook, which replaces imports of shared files by imports of entries that export the same
 * types. `nest-oauth2/jose` would need Nest, because `nest-oauth2` exports the types of the engine as well.
 */
const types = { ...dts(), generateBundle: undefined };

/** The entries of the code without the command, which is never imported. */
const { input, output: code } = bundles.find(({ output }) => output.format === 'cjs');
const entries = Object.entries(input).map(([name, source]) => [name, declarationOf(source)]);

/** The groups of types that several entries share. They import the same packages as these entries. */
const TYPES = [
  { name: 'features', test: /^lib\/features\// },
  { name: 'stores', test: /^lib\/stores\/(?!memory\/|redis\/|typeorm\/|drizzle\/|prisma\/|mongoose\/)/ },
  { name: 'pages', test: /^src\/pages\// },
  { name: 'contract-kit', test: /^lib\/kit\/(?!index|testing-model)/ },
];

/** Declarations are in files of the same names as the code, if the code has a group. */
function groupOf(id) {
  if (entries.some(([, entry]) => entry === id)) return undefined;
  const source = relative(declarations, id)
    .split(sep)
    .join('/')
    .replace(/\.d\.ts$/, '.ts');
  const [group] = code.codeSplitting.groups
    .filter(({ test }) => test(join(import.meta.dirname, source)))
    .toSorted((one, other) => (other.priority ?? 0) - (one.priority ?? 0));
  return (group ?? TYPES.find(({ test }) => test.test(source)))?.name;
}

const CLASSIC_TYPES = declarationOf('lib/server/classic-types.ts');
const CLASSIC_NAMES = declarationOf('classic-names.ts');

/**
 * Declares the types of version 5.x, such as `OAuth2Server.Client`, next to the class. Their source augments the module
 * of the class, which has another path in a bundle. A bundle also replaces `model.Client` by `Client`, which would be
 * the declared type itself, so that they get these types from a file of their own.
 */
function classicTypes() {
  let namespace;
  let names;
  return {
    name: 'classic-types',
    buildStart() {
      const source = readFileSync(CLASSIC_TYPES, 'utf8');
      const modules = [...source.matchAll(/^import (?:type )?\* as (\w+) from '(.+)\.js';$/gm)];
      const paths = new Map(modules.map(([, name, path]) => [name, join(dirname(CLASSIC_TYPES), `${path}.d.ts`)]));
      const [, members] = /^declare module '.+' \{\n([\s\S]*?)^\}/m.exec(source);
      names = new Set();
      namespace = members.replaceAll(/^ {4}/gm, '').replaceAll(/\b(\w+)\.(\w+)/g, (_, module, name) => {
        names.add(`export { ${name} as ${module}_${name} } from '${paths.get(module)}';`);
        return `classic.${module}_${name}`;
      });
      this.emitFile({ type: 'chunk', id: CLASSIC_NAMES, name: 'classic-names' });
    },
    resolveId: (id) => (id === CLASSIC_NAMES ? id : null),
    load: (id) => (id === CLASSIC_NAMES ? [...names].join('\n') : null),
    transform: (text, id) => (id === CLASSIC_TYPES ? text.replace(/^declare module [\s\S]*?^\}/m, '') : null),
    renderChunk(text) {
      if (!/^declare class OAuth2Server\b/m.test(text)) return null;
      return `import * as classic from './classic-names.js';\n${text}\ndeclare ${namespace}`;
    },
  };
}

/**
 * Names the types of a model with the defaults of the engine `CoreToken` instead of `Token$1`, as they appear in
 * messages of the compiler. Removes imports that import no names, and indents with tabs, as the code is indented.
 */
const tidy = {
  name: 'tidy',
  renderChunk: (text) =>
    text
      .replaceAll(/\b(AuthorizationCode|Model|RefreshToken|Token)\$1(?![\w$])/g, 'Core$1')
      .replaceAll(/^import '.+';\n/gm, '')
      .replaceAll(/^(?: {4})+/gm, (indent) => '\t'.repeat(indent.length / 4)),
};

/** Whether a shared file imports only such files and modules of Node.js, so that both formats read it alike. */
function isPlain(fileName, files, visited = new Set()) {
  if (!fileName.startsWith('shared/')) return fileName.startsWith('node:');
  if (visited.has(fileName)) return true;
  visited.add(fileName);
  return files[fileName].imports.every((imported) => isPlain(imported, files, visited));
}

/**
 * Keeps one copy of the shared declarations: those of ES modules export those of CommonJS. Declarations that import
 * Nest or another package exist twice, because such a package can have different types for each format.
 */
const oneCopy = {
  name: 'one-copy',
  generateBundle({ dir }, files) {
    if (!dir.endsWith('esm')) return;
    for (const [fileName, file] of Object.entries(files)) {
      if (fileName.startsWith('shared/') && isPlain(fileName, files)) {
        file.code = `export * from '../../cjs/${fileName.replace(/\.d\.ts$/, '.js')}';\n`;
      }
    }
  },
};

const bundle = (format) => ({
  dir: `dist/${format}`,
  entryFileNames: '[name].d.ts',
  chunkFileNames: ({ name }) => `shared/${name.replace(/\.d$/, '')}.d.ts`,
  manualChunks: groupOf,
  onlyExplicitManualChunks: true,
  minifyInternalExports: false,
  hoistTransitiveImports: false,
});

/** Declarations may import each other in circles. */
const HARMLESS = new Set(['CIRCULAR_CHUNK', 'CIRCULAR_DEPENDENCY', 'CYCLIC_CROSS_CHUNK_REEXPORT']);

/**
 * One file of types for each entry and shared files, so that a class has a single declaration. rolldown.config.js
 * bundles the code.
 */
export default {
  input: Object.fromEntries(entries),
  external: (id) => !/^[./]/.test(id) && !entries.some(([, entry]) => entry === id) && id !== CLASSIC_NAMES,
  onLog: (level, log, handle) => HARMLESS.has(log.code) || handle(level, log),
  plugins: [
    classicTypes(),
    types,
    tidy,
    oneCopy,
    {
      name: 'package-type',
      generateBundle({ dir }) {
        if (!dir.endsWith('cjs')) return;
        this.emitFile({ type: 'asset', fileName: 'package.json', source: JSON.stringify({ type: 'commonjs' }) });
      },
      closeBundle: () => rmSync(declarations, { recursive: true, force: true }),
    },
  ],
  output: [bundle('esm'), bundle('cjs')],
};
