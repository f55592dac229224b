// Writes the table of a page of docs/, of the specification that the tests run: `node .ci/table.js hosts`. With --check it only looks.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const COLUMNS = {
  transports: {
    transport: 'transport',
    token: 'the token',
    valid: 'valid',
    missing: 'missing',
    expired: 'expired',
    insufficient: 'insufficient scope',
    revoked: 'revoked while open',
  },
  hosts: {
    host: 'the host has',
    authorization: 'authorization, with consent',
    token: 'token request',
    refusal: 'wrong secret',
    guarded: 'guarded route',
    stranger: 'unknown token',
    metadata: 'metadata, and where they say that tokens are',
    revocation: 'revocation',
  },
};

const [name] = process.argv.slice(2);
const columns = COLUMNS[name];
if (!columns) throw new Error(`Which table: ${Object.keys(COLUMNS).join(' or ')}?`);
const root = join(import.meta.dirname, '..');
const page = join(root, `docs/${name}.md`);
const rows = JSON.parse(readFileSync(join(root, `test/src/${name}/specification.json`), 'utf8'));

/** A table as Prettier lays it out. */
function table(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const [head, ...body] = lines.map((line) => `| ${line.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`);
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}

const written = table([Object.values(columns), ...rows.map((row) => Object.keys(columns).map((key) => row[key]))]);
const before = readFileSync(page, 'utf8');
const place = new RegExp(String.raw`(<!-- ${name} [^>]*-->\n\n)[^<]*?(\n\n<!-- end -->)`, 's');
const after = before.replace(place, (_, head, end) => head + written + end);
if (!after.includes(written)) throw new Error(`docs/${name}.md has no place for the table`);

if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error(`docs/${name}.md differs from the specification: run \`npm run docs:${name}\``);
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, after);
}
