import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { file } from './database.js';

const newSecret = () => randomBytes(32).toString('base64url');

/**
 * The secret that signs forms and encrypts the secrets of authenticator apps. In production, set `OAUTH2_SECRET`. If
 * omitted, the first start creates a secret and stores it next to the database, in a file that only its owner can read.
 */
export const secret = process.env.OAUTH2_SECRET ?? (file === ':memory:' ? newSecret() : storedSecret(`${file}.secret`));

function storedSecret(path: string): string {
  try {
    // The flag `wx` never overwrites an existing file.
    writeFileSync(path, newSecret(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8');
}
