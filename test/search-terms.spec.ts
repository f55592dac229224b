import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import MiniSearch from 'minisearch';

import { createIndex, INDEX_OPTIONS, SEARCH_OPTIONS } from '../docs/.vitepress/site/search.js';

const docs = join(import.meta.dirname, '../docs');
const terms = Object.entries(JSON.parse(readFileSync(join(docs, 'search-terms.json'), 'utf8')) as object) as [
  string,
  string,
][];
const isWritten = ([, page]: [string, string]) => existsSync(join(docs, page));

/** The index that the site contains: `searchIndex()` writes this JSON into the site. */
const index = MiniSearch.loadJSON<{ id: string }>(createIndex('/'), INDEX_OPTIONS);

/** Returns the pages of the first results of a search. */
const find = (term: string) =>
  index
    .search(term, SEARCH_OPTIONS)
    .slice(0, 3)
    .map(({ id }) => (id as string).replace(/^\/(.*)\.html#.*$/, '$1.md'));

describe('the search of the documentation', () => {
  it('has at least 60 terms', () => {
    expect(terms.length).toBeGreaterThanOrEqual(60);
  });

  it.each(terms.filter(isWritten))('finds for "%s" the page %s among the first three results', (term, page) => {
    expect(find(term)).toContain(page);
  });

  it('lists the terms whose pages are missing', () => {
    const pages = [...new Set(terms.filter((term) => !isWritten(term)).map(([, page]) => page))];
    if (pages.length > 0)
      console.warn(`NOT TESTED: ${pages.length} pages of docs/search-terms.json: ${pages.join(', ')}`);
    expect(pages.filter((page) => !/^(?:start|guides|reference|explanation)\/.*\.md$/.test(page))).toEqual([]);
  });
});
