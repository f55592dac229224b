import { fileURLToPath } from 'node:url';

import settings from '../../processes/rolldown.app.js';

/** Bundles the program of the child processes, and the file that exports the proven store. */
export default {
  ...settings,
  input: {
    'proof-store': fileURLToPath(new URL('../../../src/proof/kills/main.ts', import.meta.url)),
    'killed-store': fileURLToPath(new URL('killed-store.ts', import.meta.url)),
  },
};
