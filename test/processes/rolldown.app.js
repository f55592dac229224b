import { fileURLToPath } from 'node:url';

/** Bundles the application and the library’s sources like the build of an application. Packages remain external. */
export default {
  input: ['app.ts', 'vault-app.ts'].map((name) => fileURLToPath(new URL(name, import.meta.url))),
  // The helpers for decorators belong to the bundler.
  external: (id) => !/^(?:[./]|@oxc-project\/)/.test(id),
  platform: 'node',
  tsconfig: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)),
  logLevel: 'warn',
};
