import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, link, lstat, open, readFile, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces a file atomically: the text is written to a temporary file in the same folder, which is then renamed.
 * @param before the text that was read. `undefined` creates a new file.
 * @throws {Error} If the file was changed, created or replaced by a symbolic link in the meantime, or cannot be written.
 */
export async function writeFileAtomically(path: string, before: string | undefined, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  const mode = before === undefined ? 0o666 : (await lstat(path)).mode & 0o7777;
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (before === undefined) {
      // A link fails if the file exists, unlike a rename.
      await link(temporary, path);
      await unlink(temporary);
      return;
    }
    await chmod(temporary, mode);
    if ((await currentText(path)) !== before) throw new Error('The file was changed in the meantime.');
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Reads a file, but not through a symbolic link. */
async function currentText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await readFile(file, 'utf8');
  } finally {
    await file.close();
  }
}
