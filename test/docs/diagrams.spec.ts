import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { diagramsOf, drawingOf } from '../../docs/.vitepress/site/diagrams.js';
import { readPages } from '../../docs/.vitepress/site/pages.js';

const docs = join(import.meta.dirname, '../../docs');
const folder = join(docs, 'public/diagrams');

describe('the drawings of the diagrams', () => {
  it('are those of the blocks in the pages. If not, run `npm run docs:diagrams`', () => {
    const sources = readPages().flatMap(({ path }) => diagramsOf(readFileSync(join(docs, path), 'utf8')));
    expect(sources.length).toBeGreaterThan(0);
    const wanted = sources.flatMap((source) => [drawingOf(source, 'light'), drawingOf(source, 'dark')]);
    expect(readdirSync(folder).toSorted()).toEqual(wanted.toSorted());
  });

  it('contain labels as text, which needs no font of the computer that drew them', () => {
    for (const file of readdirSync(folder)) {
      const svg = readFileSync(join(folder, file), 'utf8');
      expect(svg).toMatch(/<text[ >]/);
      expect(svg).not.toMatch(/<foreignObject|<script|https?:\/\/(?!www\.w3\.org)/);
    }
  });
});
