import { join } from 'node:path';
import { readFileSync } from 'node:fs';

/** Returns the path of a file of the package. */
export const packageFile = (name: string): string => join(import.meta.dirname, '../..', name);

/** Returns the version of the package. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;
