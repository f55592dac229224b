// Writes the table of docs/reference/hosts.md or docs/reference/transports.md from the JSON that the tests run:
// `node .ci/table.js hosts`. With --check, it fails if the page differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const COLUMNS = {
  transports: {
    transport: 'transport',
    token: 'token location',
    valid: 'valid token',
    missing: 'no token',
    expired: 'expired token',
    insufficient: 'insufficient scope',
    revoked: 'token revoked later',
  },
  hosts: {
    host: 'the application has',
    authorization: 'authorization, with consent',
    token: 'token request',
    refusal: 'wrong client secret',
    guarded: 'guarded route',
    stranger: 'unknown access token',
    metadata: 'metadata, and token endpoint in it',
    revocation: 'revocation',
  },
};

const [name] = process.argv.slice(2);
const columns = COLUMNS[name];
if (!columns) throw new Error(`Pass the name of a table: ${Object.keys(COLUMNS).join(' or ')}`);
const root = join(import.meta.dirname, '..');
const page = join(root, `docs/reference/${name}.md`);
const rows = JSON.parse(readFileSync(join(root, `test/src/${name}/specification.json`), 'utf8'));

/** Returns a table in the format of Prettier. */
function table(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const [head, ...body] = lines.map((line) => `| ${line.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`);
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}

const written = table([Object.values(columns), ...rows.map((row) => Object.keys(columns).map((key) => row[key]))]);
const before = readFileSync(page, 'utf8');
const place = new RegExp(String.raw`(<!-- ${name} [^>]*-->\n\n)[^<]*?(\n\n<!-- end -->)`, 's');
const after = before.replace(place, (_, head, end) => head + written + end);
if (!after.includes(written))
  throw new Error(`docs/reference/${name}.md lacks the comments <!-- ${name} … --> and <!-- end --> around the table`);

if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error(`docs/reference/${name}.md differs from the specification: run \`npm run docs:${name}\``);
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, after);
}
