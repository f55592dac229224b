import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ENGINE_OPTIONS } from '../../../lib/options/engine-options.js';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/reference/options.md'), 'utf8');

/** Returns the cells of the table of engine options in docs/reference/options.md. */
function cells(): string[][] {
  const [, table] = /<!-- options of the engine [^>]*-->(.*?)<!-- end -->/s.exec(page)!;
  const lines = table!.trim().split('\n').slice(2);
  return lines.map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim())).map((row) => row.slice(1, -1));
}

/** Returns the default of an option as docs/reference/options.md writes it. */
function written(row: object): string {
  if (!('default' in row)) return '';
  return `\`${JSON.stringify(row.default).replaceAll('"', "'")}\``;
}

describe('the table of engine options in docs/reference/options.md', () => {
  it('is up to date with the doc comments of the option interfaces', () => {
    const script = join(root, '.ci/option-tables.js');
    expect(execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' })).toBe('');
  });

  it('lists the defaults that the engine uses', () => {
    const said = cells().map(([name, , fallback]) => [name, fallback]);
    const have = Object.entries(ENGINE_OPTIONS).map(([name, row]) => [`\`${name}\``, written(row)]);
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(have));
  });

  it('has a type, an operation and a description for each option', () => {
    expect(cells().filter(([, type, , operation, sentence]) => !type || !operation || !sentence)).toEqual([]);
  });
});
