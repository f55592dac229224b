import MiniSearch, { type SearchOptions } from 'minisearch';
import type { Plugin } from 'vitepress';

import { type Page, readPages } from './pages.js';

/** A section of a page in the search index. */
interface Entry {
  /** The address of the section. */
  id: string;
  title: string;
  /** The headings above `title`. */
  titles: string[];
  /** `title` as a field of the index. Empty in the decisions: other pages with the same words come first. */
  heading: string;
  text: string;
  /** The `keywords` and the `description` of the page, in the entry of its first section only. */
  keywords: string;
}

/**
 * The options of the index. The theme of VitePress reads the index with the same options, which it gets as JSON. So they
 * contain no functions.
 */
export const INDEX_OPTIONS = {
  fields: ['heading', 'titles', 'keywords', 'text'],
  storeFields: ['title', 'titles'],
};

/** The options of every search. A word in a title or keyword counts more than a word in the text. */
export const SEARCH_OPTIONS: SearchOptions = {
  boost: { heading: 6, keywords: 8, titles: 2, text: 1 },
  prefix: true,
  fuzzy: 0.2,
  weights: { prefix: 0.5, fuzzy: 0.15 },
};

/** Returns the search index of the pages as JSON. `base` is the path of the site. */
export function createIndex(base: string, pages: readonly Page[] = readPages()): string {
  const index = new MiniSearch<Entry>(INDEX_OPTIONS);
  for (const page of pages) {
    const address = base + page.path.replace(/(?:^|(?<=\/))index\.md$/, '').replace(/\.md$/, '.html');
    for (const [position, { anchor, titles, text }] of page.sections.entries()) {
      const keywords = position === 0 ? [...page.keywords, page.description].join(' ') : '';
      const title = titles.at(-1)!;
      const heading = page.part === 'decisions' ? '' : title;
      index.add({ id: `${address}#${anchor}`, title, titles: titles.slice(0, -1), heading, text, keywords });
    }
  }
  return JSON.stringify(index);
}

const LIST = '/@localSearchIndex.own';
const INDEX = '/@localSearchIndexroot.own';

/** The modules that the theme of VitePress imports, and the addresses at which the browser gets them. */
const MODULES = new Map([
  ['@localSearchIndex', LIST],
  ['@localSearchIndexroot', INDEX],
  [LIST, LIST],
  [INDEX, INDEX],
]);

/** Replaces the index that VitePress builds, which has no keywords. */
export function searchIndex(): Plugin {
  let base = '/';
  return {
    name: 'search-index',
    enforce: 'pre',
    configResolved(config) {
      base = config.base;
    },
    resolveId: (id) => MODULES.get(id),
    load(id) {
      if (id === LIST) return "export default { root: () => import('@localSearchIndexroot') }";
      return id === INDEX ? `export default ${JSON.stringify(createIndex(base))}` : undefined;
    },
    handleHotUpdate({ file, server }) {
      const index = server.moduleGraph.getModuleById(INDEX);
      if (index && file.endsWith('.md')) server.moduleGraph.invalidateModule(index);
    },
  };
}
