// Builds the library as it is published, then the application and the runner, which import it by its public names. Runs
// them.
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import library from '../rolldown.config.js';

const cwd = fileURLToPath(new URL('..', import.meta.url));

for (const bundle of library) await build({ ...bundle, cwd });
await build({
  cwd,
  input: 'conformance/run.ts',
  external: [/^node:/, /^@nestjs\//, /^nest-oauth2(?:\/|$)/, 'reflect-metadata'],
  platform: 'node',
  tsconfig: 'tsconfig.json',
  output: { dir: 'conformance/dist', format: 'esm', sourcemap: true },
});
await import('./dist/run.js');
