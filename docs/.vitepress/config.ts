import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { defineConfig } from 'vitepress';

import { anchorOf } from './site/anchor.js';
import { writeForMachines } from './site/llms.js';
import { addPackageManagers, describeCells, findPictures, linkToRepository, showDiagrams } from './site/markdown.js';
import { descriptionOf, DOCS, readPages } from './site/pages.js';
import { INDEX_OPTIONS, SEARCH_OPTIONS, searchIndex } from './site/search.js';
import { createNavigation, createSidebar } from './site/sidebar.js';

const { description, repository } = JSON.parse(readFileSync(join(DOCS, '../package.json'), 'utf8')) as {
  description: string;
  repository?: string | { url: string };
};
const address = (typeof repository === 'string' ? repository : repository?.url)?.replace(/^git\+|\.git$/g, '');
/** The path of the site on its host, with a slash at both ends. */
const base = process.env.DOCS_BASE ?? '/';
const pages = readPages();
/** The link to the API reference, which is not a page of VitePress. */
const API = { text: 'API', link: '/api/', target: '_self' };
/** A page with more sections has an outline of its main headings only. */
const MANY_SECTIONS = 30;

export default defineConfig({
  title: 'nest-oauth2',
  description,
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}logo.svg` }]],
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // The default themes have too little contrast for comments and keywords.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    config(md) {
      showDiagrams(md);
      describeCells(md);
      addPackageManagers(md);
      findPictures(md);
      linkToRepository(md, address);
    },
  },
  themeConfig: {
    logo: '/logo.svg',
    // `npm run docs` serves the pages only. `npm run docs:build` adds the API reference.
    nav: [...createNavigation(pages), ...(process.env.NODE_ENV === 'production' ? [API] : [])],
    sidebar: createSidebar(pages),
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: { detailedView: true, miniSearch: { options: INDEX_OPTIONS as object, searchOptions: SEARCH_OPTIONS } },
    },
    ...(address && {
      editLink: { pattern: `${address}/edit/main/docs/:path`, text: 'Edit this page' },
      socialLinks: [{ icon: 'github', link: address }],
    }),
  },
  vite: {
    plugins: [searchIndex()],
    // The search index is one large file, loaded only by a search.
    build: { chunkSizeWarningLimit: 4000 },
  },
  transformPageData({ relativePath, frontmatter }) {
    const page = pages.find(({ path }) => path === relativePath);
    if (page && page.sections.length > MANY_SECTIONS) frontmatter.outline = 2;
    return page && { description: descriptionOf(page) };
  },
  buildEnd({ outDir }) {
    writeForMachines(pages, outDir, base, description);
    cpSync(join(DOCS, 'schema'), join(outDir, 'schema'), { recursive: true });
  },
});
