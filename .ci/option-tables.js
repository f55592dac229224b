// Writes the tables of docs/reference/options.md from the doc comments of the option interfaces. With --check, it fails
// if they differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const read = (path) => readFileSync(join(root, path), 'utf8');
const engine = read('lib/options/options.ts');
const requirements = read('lib/options/token-requirements.ts');
const nest = ['module-options', 'options'].map((page) => read(`src/interfaces/oauth2-${page}.interface.ts`)).join('');

const INTERFACE = /\/\*\*([^/]*?)\*\/\nexport interface (\w+)[^{]*\{\n(.*?)\n\}/gs;
const MEMBER = /(?: {2}\/\*\*((?:(?!\*\/).)*)\*\/\n)? {2}(\w+)\??: ([^;]+);/gs;

/** The options that the named interfaces declare: name, default, and the doc comments of interface and option. */
function optionsOf(page, names) {
  const interfaces = [...page.matchAll(INTERFACE)].map(([, doc, name, body]) => ({ doc: flat(doc), name, body }));
  return names.flatMap((wanted) => {
    const { doc, body } = interfaces.find(({ name }) => name === wanted);
    return [...body.matchAll(MEMBER)].map(([, said = '', name, type]) =>
      Object.assign(parts(flat(said)), { name, of: doc, type: typeText(type) }),
    );
  });
}

/** Returns the text of a type for the table. */
const typeText = (type) => `\`${flat(type).replaceAll(/\breadonly |(?<=\W|^)Readonly<(.*)>$/g, '$1')}\``;

const flat = (comment) => comment.replace(/\s*\n\s*\*?\s*/g, ' ').trim();

/** Splits a doc comment into its default value, which has its own column, and the remaining text. */
function parts(said) {
  const [, before, value = '', after = ''] = /^(.*?)(?: ?Default: (.+?)\.?(?: (?=RFC|Fetch)(.*))?)?$/.exec(said);
  return { fallback: value && !value.includes('`') ? `\`${value}\`` : value, said: `${before} ${after}`.trim() };
}

/** Returns a table in the format of Prettier. */
function table(rows) {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = cells[0].map((_, column) => Math.max(3, ...cells.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = cells.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

const ENGINE = ['IssueOptions', 'TokenOptions', 'AuthorizeOptions', 'AuthenticateDefaults', 'CommonOptions'];
const MODULE = ['OAuth2Registration', 'OAuth2Settings'];

const TABLES = {
  module: [
    ['option', 'type', 'default', 'description'],
    ...optionsOf(nest, MODULE).map(({ name, type, fallback, said }) => [`\`${name}\``, type, fallback, said]),
  ],
  engine: [
    ['option', 'type', 'default', 'used by', 'description'],
    ...optionsOf(engine, ENGINE).map(({ name, type, fallback, of, said }) => {
      const operation = of.replace(/^Options of /, '').replace(/\.$/, '');
      return [`\`${name}\``, type, fallback, operation, said];
    }),
  ],
};

TABLES.call = [
  ['option', 'type', 'description'],
  ...optionsOf(requirements, ['TokenRequirements']).map(({ name, type, said }) => [`\`${name}\``, type, said]),
];

const before = read('docs/reference/options.md');
const after = before.replace(
  /(<!-- options of the (\w+) [^>]*-->\n\n).*?(\n\n<!-- end -->)/gs,
  (_, head, name, end) => {
    return head + table(TABLES[name]) + end;
  },
);

if (after !== before && process.argv.includes('--check')) {
  console.error(
    'docs/reference/options.md differs from the doc comments of the option interfaces: run `npm run docs:options`.',
  );
  process.exitCode = 1;
} else if (after !== before) {
  writeFileSync(join(root, 'docs/reference/options.md'), after);
}
