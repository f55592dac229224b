import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

import { expressModule } from './express-module.js';
import type { ExpressModule } from './source.js';

const NAME = 'express-oauth-server';

/** The files with the Express middleware that the migration creates. */
export class ExpressFiles {
  /** The texts of the new files by their paths, relative to the migrated folder. */
  readonly created = new Map<string, string>();
  private readonly chosen = new Map<string, string>();

  constructor(private readonly root: string) {}

  /**
   * Returns the module name of the middleware for a file. All files with the same ending in a package share one.
   * @param owner the folder of the `package.json` of the file.
   */
  moduleFor(file: string, owner: string, module: ExpressModule, importsExtensions: boolean): string {
    const key = `${owner}\0${module.extension}\0${module.syntax}`;
    const path = this.chosen.get(key) ?? this.choose(dirname(file), module);
    this.chosen.set(key, path);
    const relative = posix.relative(dirname(file), path);
    const name = relative.startsWith('.') ? relative : `./${relative}`;
    const isPlain = !importsExtensions && /^\.[jt]s$/.test(module.extension);
    return isPlain ? name.slice(0, -module.extension.length) : name.replace(/\.([cm]?)ts$/, '.$1js');
  }

  /** Returns the path of an existing file that an earlier run created, else of a new file. */
  private choose(folder: string, module: ExpressModule): string {
    const text = expressModule(module);
    for (let number = 1; ; number++) {
      const name = number === 1 ? NAME : `${NAME}-${number}`;
      const path = posix.join(folder, name + module.extension);
      const full = join(this.root, path);
      if (!existsSync(full) && !this.created.has(path)) {
        this.created.set(path, text);
        return path;
      }
      if (isOwn(full)) return path;
    }
  }
}

/** Whether an earlier run created the file. The user may have changed it since. */
const isOwn = (path: string) => {
  try {
    return readFileSync(path, 'utf8').includes('`nest-oauth2-migrate` created this file');
  } catch {
    return false;
  }
};
