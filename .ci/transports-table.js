// Writes the table of docs/transports.md, of the specification that the tests run. With --check it only looks.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs/transports.md');
const rows = JSON.parse(readFileSync(join(root, 'test/src/transports/specification.json'), 'utf8'));

const COLUMNS = {
  transport: 'transport',
  token: 'the token',
  valid: 'valid',
  missing: 'missing',
  expired: 'expired',
  insufficient: 'insufficient scope',
  revoked: 'revoked while open',
};

/** A table as Prettier lays it out. */
function table(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const [head, ...body] = lines.map((line) => `| ${line.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`);
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}

const written = table([Object.values(COLUMNS), ...rows.map((row) => Object.keys(COLUMNS).map((name) => row[name]))]);
const before = readFileSync(page, 'utf8');
const after = before.replace(
  /(<!-- transports [^>]*-->\n\n)[^<]*?(\n\n<!-- end -->)/s,
  (_, head, end) => head + written + end,
);
if (!after.includes(written)) throw new Error('docs/transports.md has no place for the table');

if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error('docs/transports.md differs from the specification: run `npm run docs:transports`');
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, after);
}
