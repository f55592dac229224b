// Writes the table of docs/reference/hosts.md, docs/reference/transports.md or docs/guides/mcp-clients.md from the JSON
// that the tests run: `node .ci/table.js hosts`. With --check, it fails if the page differs.
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
  'mcp-clients': {
    client: 'client',
    identity: 'identifies itself with',
    redirect: 'redirect URI',
    scope: 'requests at first',
    signOut: 'when its user signs out',
    found: 'found',
  },
};

/** The tables that are not a page in docs/reference with the rows in test/src/NAME/specification.json. */
const FILES = {
  'mcp-clients': { page: 'docs/guides/mcp-clients.md', rows: 'test/src/mcp-clients/clients.json', cells: mcpClient },
};

const SCOPES = {
  challenge: 'the scope in the challenge',
  resource: '`scopes_supported` of the resource',
  server: '`scopes_supported` of the server',
};
const SIGN_OUTS = { revocation: 'revokes its tokens', none: 'forgets its tokens', unknown: 'not known' };

/** Returns the cells of a client in test/src/mcp-clients/clients.json. */
function mcpClient({ client, document, redirectUri, anyPort, scope, signOut, found, source }) {
  return {
    client,
    identity: document ? `[its document](${document.client_id})` : 'a registration',
    redirect: `\`${anyPort ? redirectUri.replace(/:\d+/, ':PORT') : redirectUri}\``,
    scope: SCOPES[scope],
    signOut: SIGN_OUTS[signOut],
    found: `${found}, ${source}`,
  };
}

const [name] = process.argv.slice(2);
const columns = COLUMNS[name];
if (!columns) throw new Error(`Pass the name of a table: ${Object.keys(COLUMNS).join(' or ')}`);
const root = join(import.meta.dirname, '..');
const {
  page: path = `docs/reference/${name}.md`,
  rows: file = `test/src/${name}/specification.json`,
  cells,
} = FILES[name] ?? {};
const page = join(root, path);
const rows = JSON.parse(readFileSync(join(root, file), 'utf8')).map(cells ?? ((row) => row));

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
  throw new Error(`${path} lacks the comments <!-- ${name} … --> and <!-- end --> around the table`);

if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error(`${path} differs from the specification: run \`npm run docs:${name}\``);
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, after);
}
