import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import ts from '@typescript/typescript6';

/** A `ts` code block of a page. */
export interface CodeBlock {
  /** The path of the page in the repository. */
  page: string;
  /** The line of the page that contains the first line of the code. */
  line: number;
  /** The path below `src` in the comment of the first line. If omitted, the block is a part of a file. */
  file: string | undefined;
  code: string;
}

/** Packages of the examples that are not installed here. Their imports have the type `any`. */
const NOT_INSTALLED = ['@nestjs/typeorm', 'bcryptjs', 'nodemailer', 'supertest', 'vitest'];

const { exports: entries } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
  exports: object;
};

/** Modules whose exports a part of a file uses without an import: all entries of the package, and Nest. */
const KNOWN = [
  ...Object.keys(entries)
    .filter((entry) => entry !== './package.json')
    .map((entry) => entry.replace('.', 'nest-oauth2')),
  '@nestjs/common',
  '@nestjs/core',
];

/** Codes of the errors "cannot find name" and "no value exists in scope for the shorthand property". */
const MISSING_NAME = new Set([2304, 2503, 2552, 2582, 2593, 18004]);

/** Codes of the errors about missing types. In a part of a file, the types are often given elsewhere. */
const NO_TYPE = new Set([2347, 7005, 7006, 7031, 7034]);

const CLASS = 'class Part { [member: string]: any;';

/** Forms that a part of a file can have. The first form with valid syntax is used. */
const FORMS = [
  ['', ''],
  [CLASS, '}'],
  ['void [', '];'],
  ['void {', '};'],
] as const;

/** Returns the `ts` blocks of a Markdown file. A block inside a list is indented. */
export function blocksOf(page: string, markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^( *)```ts\n(.*?)^\1```$/gms)].map(({ 1: indent, 2: body, index }) => {
    const code = body!.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const [, file] = /^\/\/ (src\/\S+\.ts)\n/.exec(code) ?? [];
    return { page, line: markdown.slice(0, index).split('\n').length + 1, file, code };
  });
}

/**
 * Compiles the blocks of pages and returns the errors. The files of a page are compiled together. A part of a file is
 * compiled in the folder `src` of its page; names that it does not define come from `KNOWN` modules or have the type
 * `any`.
 */
export async function compile(blocks: readonly CodeBlock[], folder: string): Promise<string[]> {
  const exported = await exportsOf(KNOWN);
  const sources = new Map(blocks.map((block) => [placeOf(block), block]));
  if (sources.size < blocks.length) throw new Error('Two blocks of a page have the same file name.');
  const written = new Map([...sources].map(([path, block]) => [path, complete(block)]));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of written) write(path, text);
  for (const [path, text] of absentFiles(sources)) write(path, text);
  write('packages.d.ts', NOT_INSTALLED.map((name) => `declare module '${name}';\n`).join(''));
  write('tsconfig.json', JSON.stringify({ extends: '../../tsconfig.json', include: ['.'], exclude: [] }));

  const missing = check(folder).filter(({ code }) => MISSING_NAME.has(code));
  for (const [path, { file }] of sources) {
    const names = missing.filter((error) => error.path === path).map(({ text }) => /'([\w$]+)'/.exec(text)![1]!);
    if (file || names.length === 0) continue;
    const declarations = [...new Set(names)].map((name) => declare(name, exported));
    write(path, `${written.get(path)!}\n${declarations.join('\n')}\n`);
  }
  return check(folder)
    .filter(({ path, code }) => sources.get(path)?.file || !NO_TYPE.has(code))
    .map(({ path, line, text }) => `${sources.get(path)?.page ?? path}:${line}: ${text}`);
}

const placeOf = ({ page, line, file }: CodeBlock) =>
  `${page.replaceAll(/\W+/g, '-')}/${file ?? `src/part-of-line-${line}.ts`}`;

/** Returns the module of a block. Its code is in the same lines as in the page. */
function complete({ line, code, file }: CodeBlock): string {
  const [imports, rest] = file ? ['', code] : withoutImports(code);
  const isInMethod = /\bthis\./.test(rest) && !/\bclass\b/.test(rest);
  const forms = isInMethod ? [[`${CLASS} async part() {`, '}}'] as const, ...FORMS] : FORMS;
  const form = forms.find(([before, after]) => isValid(`${before}\n${rest}\n${after}`)) ?? FORMS[0];
  return `${'\n'.repeat(line - 2)}${file ? '' : form[0]}\n${rest}\n${file ? '' : form[1]}\n${imports}export {};\n`;
}

/** Returns the import declarations of a block, and the block with empty lines in their place. */
function withoutImports(code: string): [string, string] {
  const imports = [...code.matchAll(/^import [^;]+;/gm)].map(([text]) => text);
  return [
    imports.map((text) => `${text}\n`).join(''),
    code.replaceAll(/^import [^;]+;/gm, (text) => text.replaceAll(/[^\n]/g, '')),
  ];
}

const isValid = (code: string) => {
  const { diagnostics } = ts.transpileModule(code, {
    reportDiagnostics: true,
    compilerOptions: { module: 99, target: 9 },
  });
  return diagnostics!.length === 0;
};

/** Returns a module for each relative import of a file that the page does not show. Its exports have the type `any`. */
function absentFiles(sources: ReadonlyMap<string, CodeBlock>): Map<string, string> {
  const absent = new Map<string, Set<string>>();
  for (const [path, { code }] of sources) {
    for (const [, names, target] of code.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']*)\.js'/gm)) {
      const file = join(dirname(path), `${target}.ts`);
      if (sources.has(file)) continue;
      const known = absent.get(file) ?? new Set();
      for (const name of names!.split(','))
        known.add(
          name
            .replace(/^\s*type /, '')
            .split(' as ')[0]!
            .trim(),
        );
      absent.set(file, known);
    }
  }
  return new Map(
    [...absent].map(([file, names]) => [
      file,
      [...names]
        .filter(Boolean)
        .map((name) => `export ${anyOf(name)}`)
        .join('\n'),
    ]),
  );
}

const anyOf = (name: string) => `declare const ${name}: any; export type ${name} = any;`;

const declare = (name: string, exported: ReadonlyMap<string, string>) =>
  exported.has(name) ? `import { ${name} } from '${exported.get(name)}';` : anyOf(name);

/** Returns the module of each exported value. */
async function exportsOf(modules: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of modules.toReversed())
    for (const exported of Object.keys((await import(name)) as object)) found.set(exported, name);
  return found;
}

interface CompilerError {
  path: string;
  line: number;
  code: number;
  text: string;
}

/** Runs the compiler and returns its errors. */
function check(folder: string): CompilerError[] {
  const tsc = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');
  const options: ExecFileSyncOptions = { cwd: folder, maxBuffer: 2 ** 26 };
  let output = '';
  try {
    execFileSync(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], options);
  } catch (error) {
    output = String((error as { stdout: Buffer }).stdout);
  }
  return [...output.matchAll(/^(\S+?)\((\d+),\d+\): error TS(\d+): (.*)$/gm)].map(([, path, line, code, text]) => ({
    path: path!,
    line: Number(line),
    code: Number(code),
    text: `TS${code}: ${text}`,
  }));
}
