import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { DOCS, type Page, PARTS } from './pages.js';

/** Returns `llms.txt`: a list of all pages with their descriptions, for programs that read the site. */
export function listForMachines(pages: readonly Page[], base: string, description: string): string {
  const parts = Object.entries(PARTS).map(([part, title]) => {
    const lines = pages
      .filter((page) => page.part === part)
      .map((page) => `- [${page.title}](${base}${page.path})${page.description && `: ${page.description}`}`);
    return lines.length > 0 ? `## ${title}\n\n${lines.join('\n')}\n` : '';
  });
  return [`# nest-oauth2\n\n> ${description}\n`, ...parts.filter(Boolean)].join('\n');
}

/** Returns `llms-full.txt`: the text of all pages except the decisions. */
export function joinForMachines(pages: readonly Page[]): string {
  return pages
    .filter(({ part }) => part !== undefined && part !== 'decisions')
    .map(({ path, body }) => `<!-- ${path} -->\n\n${body.trim()}\n`)
    .join('\n');
}

/** Writes both files into the built site, and the Markdown of each page at the address of the page with `.md`. */
export function writeForMachines(pages: readonly Page[], folder: string, base: string, description: string): void {
  writeFileSync(join(folder, 'llms.txt'), listForMachines(pages, base, description));
  writeFileSync(join(folder, 'llms-full.txt'), joinForMachines(pages));
  for (const { path } of pages) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(DOCS, path), join(folder, path));
  }
}
