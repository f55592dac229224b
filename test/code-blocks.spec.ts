import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from '@jest/globals';

import { readPages } from '../docs/.vitepress/site/pages.js';
import { blocksOf, compile } from './support/clients/page-code.js';

const root = join(import.meta.dirname, '..');
const folder = join(import.meta.dirname, 'page-code');
const pages = readPages().map(({ path }) => `docs/${path}`);
const blocks = ['README.md', ...pages].flatMap((page) => blocksOf(page, readFileSync(join(root, page), 'utf8')));

describe('the code blocks of the documentation', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('compile, each file together with the other files of its page, unlike a block with a misspelled option', async () => {
    expect(blocks.length).toBeGreaterThan(100);
    const wrong = blocksOf(
      'wrong.md',
      "Text\n\n```ts\nOAuth2Module.forRoot({ model, isuer: 'https://id.example' });\n```\n",
    );
    expect(await compile([...blocks, ...wrong], folder)).toEqual([
      expect.stringMatching(/^wrong\.md:4: TS2561: .*isuer/),
    ]);
  }, 120_000);
});
