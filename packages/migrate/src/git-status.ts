import { execFileSync, type ExecFileSyncOptionsWithStringEncoding } from 'node:child_process';

/** Returns a warning if the changes to a folder cannot be undone with git alone. */
export function gitWarning(folder: string): string | undefined {
  try {
    // A file system monitor of the repository is not started: it is a program of the repository's choice.
    const settings = ['-c', 'core.fsmonitor=false', '-C', folder];
    const options: ExecFileSyncOptionsWithStringEncoding = {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1e9,
    };
    const changes = execFileSync('git', [...settings, 'status', '--porcelain', '--', '.'], options);
    if (changes === '') return undefined;
    return 'Warning: git has uncommitted changes here. Commit them first, to review and undo the migration separately.';
  } catch {
    return 'Warning: this folder is not in a git repository, so the migration cannot be undone.';
  }
}
