import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

import { MAIN_CONTEXT } from './modules.js';

// Without it, Node.js would free all modules before a worker ends. That takes longer than Jest waits, and Jest would
// report a leak. A worker with an open handle never gets here. The channel ends first, because Jest might otherwise
// write to a process that has ended.
if (process.send) {
  process.once('beforeExit', () => {
    if (process.connected) process.disconnect();
    setTimeout(() => process.exit(), 20);
  });
}

/**
 * Runs test files in the context of the worker, one after the other. In a context of its own, as Jest does it, each
 * test file would have its own `Error` and `String`, and would load Nest and all other packages again.
 *
 * What a test file changes in the process is taken back at its end: environment variables, mocks, timers, and what Jest
 * keeps in global symbols.
 */
export default class OneContext {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #console = console;
  #exit = process.exit;
  #env = { ...process.env };
  #symbols = new Set(Object.getOwnPropertySymbols(globalThis));
  #isTornDown = false;

  constructor({ projectConfig: config }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  // Jest calls it for each environment.
  setup() {}

  teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    // Jest keeps the tests of a file under symbols. Packages keep their globals under names, and expect to find them again.
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (!this.#symbols.has(symbol)) Reflect.deleteProperty(globalThis, symbol);
    }
    for (const name of Object.keys(process.env)) {
      if (!Object.hasOwn(this.#env, name)) delete process.env[name];
    }
    Object.assign(process.env, this.#env);
    globalThis.console = this.#console;
    process.exit = this.#exit;
    this.#isTornDown = true;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return this.#isTornDown ? null : MAIN_CONTEXT;
  }
}
