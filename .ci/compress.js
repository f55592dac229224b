// Makes files of `dist` smaller without changing names or lines, which stack traces contain.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minifySync } from 'rolldown/experimental';
import { parseAst } from 'rolldown/parseAst';

const dist = join(import.meta.dirname, '../dist');

/** Files that no application loads in production (the test kit, the command, the rules of the report and the schematics), and `jose`. */
const COMPRESSED = new Set([
  'esm/testing.js',
  'cjs/testing.js',
  'esm/cli.js',
  'cjs/schematics.js',
  'cjs/shared/jose-library.js',
  'esm/shared/attack-lab.js',
  'esm/shared/open-target.js',
  'esm/shared/proof.js',
  'esm/shared/rules.js',
  'cjs/shared/rules.js',
]);

/** Returns the code without whitespace and with short names of variables. A licence at its top stays. */
function compress(file, code) {
  const [licence] = /^\/\*![^]*?\*\/\n|/.exec(code);
  const { code: compressed, errors } = minifySync(file, code, {
    module: file.startsWith('esm/'),
    compress: { keepNames: { function: true, class: true } },
    mangle: { keepNames: { function: true, class: true } },
    codegen: { removeWhitespace: true },
  });
  if (errors.length > 0) throw new AggregateError(errors, `The compiler cannot read ${file}.`);
  return licence + compressed;
}

/** Returns the start and the end of each text in a template literal, in which indentation is content. */
function templateTexts(node) {
  if (node === null || typeof node !== 'object') return [];
  if (node.type === 'TemplateElement') return [[node.start, node.end]];
  return Object.values(node).flatMap(templateTexts);
}

/** Returns the code without the indentation of its lines. */
function withoutIndentation(code) {
  const texts = templateTexts(parseAst(code));
  let next = 0;
  return code.replaceAll(/^\t+/gm, (indent, at) => {
    while (next < texts.length && texts[next][1] < at) next++;
    const isContent = next < texts.length && texts[next][0] <= at;
    return isContent ? indent : '';
  });
}

for (const format of ['esm', 'cjs']) {
  for (const name of readdirSync(join(dist, format), { recursive: true })) {
    const file = `${format}/${name}`;
    if (!file.endsWith('.js')) continue;
    const code = readFileSync(join(dist, file), 'utf8');
    writeFileSync(join(dist, file), COMPRESSED.has(file) ? compress(file, code) : withoutIndentation(code));
  }
}
