import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { TARGETS } from './targets.js';

const CORPUS = join(import.meta.dirname, 'corpus');

describe('the parsers that strangers reach', () => {
  it.each(Object.keys(TARGETS))('answer each recorded input: %s', async (name) => {
    const inputs = JSON.parse(readFileSync(join(CORPUS, `${name}.json`), 'utf8')) as string[];
    expect(inputs.length).toBeGreaterThan(5);
    for (const input of inputs) await TARGETS[name]!(Buffer.from(input, 'base64'));
  });

  it('are the ones that have recorded inputs', () => {
    expect(readdirSync(CORPUS).toSorted()).toEqual(
      Object.keys(TARGETS)
        .map((name) => `${name}.json`)
        .toSorted(),
    );
  });
});
