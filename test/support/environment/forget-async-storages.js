import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The `AsyncLocalStorage` instances that were entered by test files of this worker. All files share the class, because
 * it belongs to Node.js.
 */
const ENTERED = Symbol.for('nest-oauth2.test.enteredStorages');

// Up to Node.js 22, each new promise visits every `AsyncLocalStorage` that was ever entered in the process. Without this
// cleanup, a worker becomes slow after many test files.
const { prototype } = AsyncLocalStorage;
if (prototype[ENTERED]) {
  for (const storage of prototype[ENTERED]) storage.disable();
  prototype[ENTERED].clear();
} else {
  const entered = new Set();
  Object.defineProperty(prototype, ENTERED, { value: entered });
  for (const name of ['run', 'enterWith']) {
    const method = prototype[name];
    prototype[name] = function (...args) {
      entered.add(this);
      return method.apply(this, args);
    };
  }
}
