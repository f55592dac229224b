import { fileURLToPath } from 'node:url';

/** Bundles the application and the library's sources, as a build of an application does. Packages stay outside. */
export default {
  input: fileURLToPath(new URL('app.ts', import.meta.url)),
  // The helpers for decorators are files of the bundler.
  external: (id) => !/^(?:[./]|@oxc-project\/)/.test(id),
  platform: 'node',
  tsconfig: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)),
  logLevel: 'warn',
};
