import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

/**
 * Names the context of the worker, where Jest expects a context of `vm`. The import of this file changes `vm` for all
 * test files of the worker:
 *
 * - Modules that Jest creates with this value as context are evaluated in the context of the worker.
 * - Packages are loaded by Node.js, once for all test files. Nest, its platforms and RxJS have about 1,000 modules.
 * - The compiled code of all other modules is kept. Jest evaluates them again for each test file, so that test files do
 *   not share their state, and V8 would parse their source again.
 */
export const MAIN_CONTEXT = {};

const PACKAGES = realpathSync(fileURLToPath(new URL('../../../node_modules/', import.meta.url)));

/** Jest and its parts, which keep the state of a test file in variables of modules. */
const JEST = /^(?:@jest\/|expect|jest-|pretty-format)/;

/** V8 loses the callback for dynamic imports of code that it reads from a cache. */
const DYNAMIC_IMPORT = /\bimport\s*\(/;

const require = createRequire(import.meta.url);
const { compileFunction, SourceTextModule, SyntheticModule } = vm;

const isOfPackage = (file) => file?.startsWith(`${PACKAGES}/`) && !JEST.test(file.slice(PACKAGES.length + 1));

/** Returns the exports of a file of a package. If it returns `undefined`, Jest evaluates the file. */
function load(file) {
  if (!isOfPackage(file)) return undefined;
  try {
    return require(file);
  } catch {
    // Jest loads more than Node.js, such as JSON without `with`. If Jest fails too, it reports the error.
    return undefined;
  }
}

/** Returns the cached code if it belongs to this source. V8 itself compares only the lengths of sources. */
function find(cache, name, source) {
  const found = cache.get(name);
  return found?.source === source ? found.cachedData : undefined;
}

function withoutMainContext({ context, parsingContext, ...options } = {}) {
  if (context && context !== MAIN_CONTEXT) options.context = context;
  if (parsingContext && parsingContext !== MAIN_CONTEXT) options.parsingContext = parsingContext;
  return options;
}

/**
 * Creates a module with the exports of an ES module that Node.js has loaded. It is no `SyntheticModule`, because Jest
 * reads the `moduleRequests` of modules on newer versions of Node.js.
 */
function moduleOf(exports, identifier) {
  const names = Object.keys(exports);
  const source = names.map((name, index) => `const e${index} = exports[${JSON.stringify(name)}];`).join('\n');
  const list = names.map((name, index) => `e${index} as ${JSON.stringify(name)}`).join(', ');
  return new SourceTextModule(`const { exports } = import.meta;\n${source}\nexport { ${list} };`, {
    identifier,
    initializeImportMeta: (meta) => Object.assign(meta, { exports }),
  });
}

/** The compiled code of ES modules and of CommonJS modules, by the name of the file. */
const modules = new Map();
const functions = new Map();

function createModule(source, { identifier, ...options }) {
  const create = (cachedData) => new SourceTextModule(source, { ...options, identifier, cachedData });
  const cachedData = find(modules, identifier, source);
  if (cachedData) {
    try {
      return create(cachedData);
    } catch (error) {
      // V8 accepts no code that it compiled with other flags.
      if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
    }
  }
  const module = create();
  if (!DYNAMIC_IMPORT.test(source)) modules.set(identifier, { source, cachedData: module.createCachedData() });
  return module;
}

vm.SyntheticModule = new Proxy(SyntheticModule, {
  construct: (target, [names, evaluate, options]) => new target(names, evaluate, withoutMainContext(options)),
});

vm.SourceTextModule = new Proxy(SourceTextModule, {
  construct(target, [source, given]) {
    const options = withoutMainContext(given);
    const exports = load(options.identifier);
    return exports ? moduleOf(exports, options.identifier) : createModule(source, options);
  },
});

vm.compileFunction = (source, parameters, given) => {
  const { filename, ...options } = withoutMainContext(given);
  const exports = load(filename);
  if (exports) return (module) => Object.assign(module, { exports });
  const cachedData = find(functions, filename, source);
  const isNew = !cachedData && !DYNAMIC_IMPORT.test(source);
  const compiled = compileFunction(source, parameters, { ...options, filename, cachedData, produceCachedData: isNew });
  if (isNew && compiled.cachedData) functions.set(filename, { source, cachedData: compiled.cachedData });
  return compiled;
};
