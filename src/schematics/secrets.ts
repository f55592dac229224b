import { spawnSync } from 'node:child_process';
import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { appendKeys, type EnvironmentKey } from './environment.js';
import type { Rule } from './tree.js';

const OWNER_ONLY = 0o600;

/** Whether git tracks the file, so that its secrets would be committed. */
const isTracked = (file: string) =>
  spawnSync('git', ['ls-files', '--error-unmatch', file], { stdio: 'ignore' }).status === 0;

/** Whether this error means that the path is a symbolic link. */
const isLink = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ELOOP';

/**
 * Adds missing variables to `.env`, or the file that the application reads, which only the owner of the file may read. The engine cannot create a file with a
 * mode, so this runs as a task after it has written the other files, and never in a dry run.
 */
export function secrets({ keys, file = '.env' }: { keys: EnvironmentKey[]; file?: string }): Rule {
  return async (_tree, { logger }) => {
    const names = keys.map(({ name }) => name).join(', ');
    if (isTracked(file)) {
      logger.warn(
        `git tracks ${file}, so no secrets were written. Run "git rm --cached ${file}" and set ${names} in ${file}.`,
      );
      return;
    }
    try {
      addToFile(keys, file);
    } catch (error) {
      if (!isLink(error)) throw error;
      logger.warn(`${file} is a symbolic link and was not changed. Set ${names} in its target.`);
    }
  };
}

function addToFile(keys: EnvironmentKey[], path: string): void {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const file = openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, OWNER_ONLY);
  try {
    const text = readFileSync(file, 'utf8');
    const added = appendKeys(text, keys, true).slice(text.length);
    if (added === '') return;
    // The mode of an existing file changes before a secret is written to it.
    if ((fstatSync(file).mode & 0o077) !== 0) fchmodSync(file, OWNER_ONLY);
    writeSync(file, added);
  } finally {
    closeSync(file);
  }
}
