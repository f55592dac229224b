import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { file, inMemory } from './database.js';

const newSecret = () => randomBytes(32).toString('base64url');

/**
 * Signs consent forms. OAUTH2_SECRET where several processes share the work; else the one that was
 * made at the first start and lies beside the database, readable by its owner only, so that one outlives a restart.
 */
export const secret = process.env.OAUTH2_SECRET ?? (inMemory ? newSecret() : keptSecret(`${file}.secret`));

function keptSecret(path: string): string {
  try {
    // `wx`: only where there is none yet.
    writeFileSync(path, newSecret(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8');
}
