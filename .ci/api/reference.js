// Writes the API reference of all entries of the package into the folder `api` of the built documentation site.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';

import bundles from '../../rolldown.config.js';

const folder = import.meta.dirname;
const root = join(folder, '../..');

if (!existsSync(join(folder, 'node_modules/typedoc'))) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
}
const { Application } = await import('typedoc');

/** The path of the site on its host. TypeDoc writes the links of the header into the pages of all folders. */
const base = process.env.DOCS_BASE ?? '/';

/** The entry without the command, by its import name. */
const { cli: _, ...entries } = bundles[0].input;

const app = await Application.bootstrap({
  name: 'nest-oauth2',
  tsconfig: join(root, 'tsconfig.json'),
  entryPoints: Object.values(entries).map((source) => join(root, source)),
  readme: 'none',
  // `npm run typecheck` finds errors, with TypeScript 7.
  skipErrorChecking: true,
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  hideGenerator: true,
  // The header of the site: its name, parts and colors.
  titleLink: base,
  favicon: join(root, 'docs/public/logo.svg'),
  customCss: join(folder, 'site-header.css'),
  navigationLinks: {
    Start: `${base}start/nest-add.html`,
    Guides: `${base}guides/testing.html`,
    Reference: `${base}reference/options.html`,
    Explanation: `${base}explanation/code-flow.html`,
    API: `${base}api/`,
  },
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  logLevel: 'Warn',
});
const project = await app.convert();
if (!project) throw new Error('TypeDoc cannot read the sources.');
/** The import names of the entries, by the names that TypeDoc derives from their paths. */
const names = new Map(
  Object.entries(entries).map(([entry, source]) => [
    source.replace(/(?:\/index)?\.ts$/, ''),
    entry === 'index' ? 'nest-oauth2' : `nest-oauth2/${entry}`,
  ]),
);
for (const module of project.children) module.name = names.get(module.name);
const out = join(root, 'docs/.vitepress/dist/api');
await app.generateDocs(project, out);
console.log(`The API reference is in ${relative(root, out)}.`);
