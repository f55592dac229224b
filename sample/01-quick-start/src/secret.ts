import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { file, inMemory } from './database.js';

const newSecret = () => randomBytes(32).toString('base64url');

/**
 * The secret that signs consent forms. Set `OAUTH2_SECRET` if several processes share the work. If omitted, the first
 * start creates a secret and stores it next to the database, in a file that only its owner can read.
 */
export const secret = process.env.OAUTH2_SECRET ?? (inMemory ? newSecret() : storedSecret(`${file}.secret`));

function storedSecret(path: string): string {
  try {
    // The flag `wx` never overwrites an existing file.
    writeFileSync(path, newSecret(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8');
}
