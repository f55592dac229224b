/**
 * Keeps the compiled code of modules for the next test files of a worker. Jest evaluates each module again for each test
 * file, and V8 would parse its source again.
 */
const STATE = Symbol.for('nest-oauth2.test.codeCache');

/** V8 loses the callback for dynamic imports of code that it reads from a cache. */
const DYNAMIC_IMPORT = /\bimport\s*\(/;

// The module belongs to Node.js, so that all test files of a worker share it.
const vm = process.getBuiltinModule('node:vm');

/** Returns the cached code if it belongs to this source. V8 itself compares only the lengths of sources. */
const find = (cache, name, source) => {
  const found = cache.get(name);
  return found?.source === source ? found.cachedData : undefined;
};

if (!vm[STATE]) {
  vm[STATE] = true;
  const { compileFunction, SourceTextModule } = vm;
  const modules = new Map();
  const functions = new Map();

  vm.SourceTextModule = new Proxy(SourceTextModule, {
    construct(target, [source, options], newTarget) {
      const make = (cachedData) => Reflect.construct(target, [source, { ...options, cachedData }], newTarget);
      const cachedData = find(modules, options.identifier, source);
      if (cachedData) {
        try {
          return make(cachedData);
        } catch (error) {
          // V8 accepts no code that it compiled with other flags.
          if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
        }
      }
      const module = make();
      if (!DYNAMIC_IMPORT.test(source)) {
        modules.set(options.identifier, { source, cachedData: module.createCachedData() });
      }
      return module;
    },
  });

  vm.compileFunction = (source, parameters, options) => {
    const cachedData = find(functions, options.filename, source);
    const isNew = !cachedData && !DYNAMIC_IMPORT.test(source);
    const compiled = compileFunction(source, parameters, { ...options, cachedData, produceCachedData: isNew });
    if (isNew && compiled.cachedData) functions.set(options.filename, { source, cachedData: compiled.cachedData });
    return compiled;
  };
}
