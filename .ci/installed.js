// Ends a script of package.json with one sentence if the packages are not installed. npm writes the file at the end of
// an installation.
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../node_modules/.package-lock.json', import.meta.url))) {
  console.error('Run `npm ci` first.');
  process.exit(1);
}
