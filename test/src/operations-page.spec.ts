import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { EVENT_NAMES } from 'nest-oauth2/server';

describe('docs/reference/operations.md', () => {
  it('lists exactly the events that exist, in the same order', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/reference/operations.md'), 'utf8');
    const [, table] = /\n(\| event .*?)\n\n/s.exec(page)!;
    expect([...table!.matchAll(/^\| `([\w.]+)`/gm)].map(([, name]) => name)).toEqual(EVENT_NAMES);
  });
});
