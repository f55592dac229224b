import { AsyncLocalStorage } from 'node:async_hooks';

/** The storages that the test files of this worker have entered. The class belongs to Node, so all files share it. */
const ENTERED = Symbol.for('nest-oauth2.test.enteredStorages');

// Up to Node 22, each new promise visits every AsyncLocalStorage that was ever entered in the process. A worker that has run a
// hundred test files would spend most of its time there.
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
