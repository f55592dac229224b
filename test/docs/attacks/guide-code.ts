import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { jest } from '@jest/globals';

import { blocksOf } from '../../support/clients/page-code.js';

const root = join(import.meta.dirname, '../../..');

/** Returns the text of a file of the repository. */
export const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The number of folders that were written. Imported modules are cached by their paths. */
let written = 0;

/** The code of one or several pages, written to files that a test imports and runs as a reader of the pages would. */
export class GuideCode {
  private constructor(private readonly folder: string) {}

  /**
   * Writes the complete files of pages. `more` adds files that the pages only mention, by their paths such as
   * `src/mail.ts`.
   */
  static write(name: string, pages: readonly string[], more: Readonly<Record<string, string>> = {}): GuideCode {
    const blocks = pages.flatMap((page) => blocksOf(page, read(page)));
    const texts = Object.fromEntries(blocks.flatMap(({ file, code }) => (file ? [[file, code]] : [])));
    return GuideCode.of(name, { ...texts, ...more });
  }

  /** Writes files by their paths. */
  static of(name: string, files: Readonly<Record<string, string>>): GuideCode {
    const folder = join(root, 'test/page-code-run', `${name}-${process.pid}-${written++}`);
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      // Hashes of a low cost, so that the tests are quick.
      writeFileSync(join(folder, file), text.replaceAll(/N: 2 \*\* 1\d/g, 'N: 2 ** 4'));
    }
    return new GuideCode(folder);
  }

  /** Imports a file of the pages. */
  async import<T>(file: string): Promise<T> {
    return (await import(pathToFileURL(join(this.folder, file)).href)) as T;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Replaces packages that are not installed here by modules of the test. Call it before the code is imported. */
export function provide(modules: Readonly<Record<string, object>>): void {
  for (const [name, exported] of Object.entries(modules))
    jest.unstable_mockModule(name, () => exported, { virtual: true });
}
