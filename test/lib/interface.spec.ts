import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

const page = new URL('../../docs/reference/interface.md', import.meta.url);
const text = readFileSync(page, 'utf8').replaceAll(/\s+/g, ' ');
const proofs = [...text.matchAll(/\]\((\S+)\) “([^”]+)”/g)].map(([, path, sentence]) => [path!, sentence!] as const);
const links = [...text.matchAll(/\]\((\.\.\/\S+)\)/g)].map(([, path]) => path!);

describe('docs/reference/interface.md', () => {
  it('names a test as proof in every row', () => {
    const rows = readFileSync(page, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\| (-|The interface)/.test(line));
    expect(rows.length).toBeGreaterThan(90);
    expect(rows.filter((row) => !/\]\(\S+\) “[^”]+” *\|$/.test(row))).toEqual([]);
  });

  it('quotes titles of tests that exist', () => {
    const source = (path: string) => readFileSync(new URL(path, page), 'utf8');
    expect(proofs.filter(([path, sentence]) => !source(path).includes(sentence))).toEqual([]);
    expect(links.filter((path) => source(path).length === 0)).toEqual([]);
  });
});
