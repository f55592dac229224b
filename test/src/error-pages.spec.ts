import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { anchorsOf } from '../../docs/.vitepress/site/anchor.js';
import { OAUTH_ERRORS } from '../../lib/errors/index.js';

const root = join(import.meta.dirname, '../..');

describe('docs/reference/errors.md and start-up-errors.md', () => {
  it('are up to date with the errors in the source, and explain each code and each reason', () => {
    const script = join(root, '.ci/error-reference.js');
    expect(execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' })).toBe('');
  }, 120_000);

  it('have a section with the anchor that the log names for each error code', () => {
    const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');
    const anchors = anchorsOf([...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!));
    const codes = OAUTH_ERRORS.map(({ prototype }) => prototype.name);
    expect(codes.filter((code) => !anchors.includes(code))).toEqual([]);
  });
});
