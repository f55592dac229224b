import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('docs/guides/drizzle.md', () => {
  it('shows only code that the compiler checks in test/types/drizzle-page', () => {
    const blocks = [...read('../../docs/guides/drizzle.md').matchAll(/```ts\n\/\/ src\/(\S+)\n(.*?)```/gs)];
    expect(blocks.map(([, file]) => file)).toEqual(['schema.ts', 'app.module.ts']);
    for (const [, file, code] of blocks) expect(read(`../types/drizzle-page/${file}`)).toBe(code);
  });
});
