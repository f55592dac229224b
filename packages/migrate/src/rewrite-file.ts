import { rewriteEngine } from './engine-source.js';
import { rewriteExpress } from './express-source.js';
import { GUIDE } from './guide.js';
import { type ModuleName, moduleNames } from './module-names.js';
import { rewriteNest } from './nest-source.js';
import { OLD_PACKAGES } from './old-packages.js';
import { parseSource } from './parser.js';
import { type ExpressModule, note, type Note, type Source } from './source.js';
import type { Edit } from './edits.js';
import { nodesOf, startOf } from './syntax.js';

/** The facts about the application to which a file belongs. */
export interface FileContext {
  /** Returns the major version of a package, or `undefined` if it is not known. */
  majorOf(name: string): number | undefined;
  /** Whether the nearest `package.json` has `"type": "module"`. */
  isModulePackage(): boolean;
  /** Returns the module name of the file with the Express middleware. */
  expressModule(module: ExpressModule, importsExtensions: boolean): string;
}

/** The edits of a file, and the notes about it. */
export interface RewrittenFile {
  readonly edits: readonly Edit[];
  readonly notes: readonly Note[];
}

/**
 * Rewrites all uses of old packages in a file.
 * @throws {SyntaxError} If the file cannot be parsed.
 */
export function rewriteFile(file: string, text: string, context: FileContext): RewrittenFile {
  const root = parseSource(text, file);
  const nodes = nodesOf(root);
  const isTypeScript = /\.[cm]?tsx?$/.test(file);
  const isModule = nodes.some(
    ({ node: { type } }) => /^(?:Import|ExportNamed|ExportDefault|ExportAll)/.test(type) && type !== 'Import',
  );
  const extension = /\.[^.]+$/.exec(file)![0].replace('x', '');
  const syntax = isTypeScript ? 'ts' : isModule && extension !== '.cjs' ? 'esm' : 'cjs';
  const relative = nodes.flatMap(({ node }) =>
    node.type === 'ImportDeclaration' && node.source.value.startsWith('.') ? [node.source.value] : [],
  );
  // Without relative imports to imitate, the extension is written wherever an ES module requires it.
  const importsExtensions = () =>
    relative.length > 0
      ? relative.some((name) => /\.[cm]?[jt]s$/.test(name))
      : syntax === 'esm' || (syntax === 'ts' && extension !== '.cts' && context.isModulePackage());
  const [edits, notes]: [Edit[], Note[]] = [[], []];
  const source: Source = {
    file,
    text,
    nodes,
    isTypeScript,
    edits,
    notes,
    hasArrayScopes: (name) => hasArrays(name, context),
    expressModule: () => context.expressModule({ extension, syntax }, importsExtensions()),
  };
  for (const at of moduleNames(source)) rewriteAt(source, at, context);
  return { edits, notes };
}

function hasArrays(name: string, context: FileContext): boolean {
  const { versionOf, arraysSince } = oldPackage(name);
  if (arraysSince === undefined) return false;
  return (context.majorOf(versionOf ?? name) ?? arraysSince) >= arraysSince;
}

const oldPackage = (name: string) => OLD_PACKAGES[name]!;

function rewriteAt(source: Source, at: ModuleName, context: FileContext): void {
  const { name, old } = at.module;
  const major = context.majorOf(name);
  if (old.since !== undefined && major !== undefined && major < old.since)
    return note(source, startOf(at.node), 'left', `\`${name}\` ${major}.x has another interface.`, GUIDE.version2);
  if (old.kind === 'engine') return rewriteEngine(source, at);
  if (old.kind === 'express') return rewriteExpress(source, at);
  if (old.kind === 'nest') return rewriteNest(source, at);
  note(source, startOf(at.node), 'left', `\`${name}\` has no one-to-one equivalent.`, old.link);
}
