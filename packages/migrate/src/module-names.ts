import type * as t from '@babel/types';

import { oldModule, type OldModule } from './old-packages.js';
import type { Source } from './source.js';
import { endOf, literalText, startOf } from './syntax.js';

type Node = t.Node;

/** How a module is named: by an `import`, by `require()` and so on. */
export type NamedBy = 'export' | 'import' | 'import()' | 'import =' | 'import type()' | 'mock' | 'require' | 'other';

/** A place where a file names a module of an old package. */
export interface ModuleName {
  readonly module: OldModule;
  readonly by: NamedBy;
  /** The string. */
  readonly literal: Node;
  /** The declaration or call that contains the string. */
  readonly node: Node;
  /** The nodes around `node`, the innermost first. */
  readonly parents: readonly Node[];
}

const MOCKING = ['mock', 'doMock', 'unmock', 'dontMock', 'deepUnmock', 'setMock', 'doUnmock', 'unstable_mockModule'];
const REQUIRING = ['requireActual', 'requireMock'];

/** Returns all places where a file names a module of an old package. */
export function moduleNames(source: Source): ModuleName[] {
  const names: ModuleName[] = [];
  for (const { node: literal, parents } of source.nodes) {
    if (literal.type !== 'StringLiteral' && literal.type !== 'TemplateLiteral') continue;
    const module = oldModule(literalText(literal) ?? '');
    if (!module) continue;
    // Babel 8 wraps the string of `import('…').Token` in a `TSLiteralType`, Babel 7 does not.
    const at = ['TSLiteralType', 'TSExternalModuleReference'].includes(parents[0]!.type) ? 1 : 0;
    const node = parents[at]!;
    names.push({ module, by: namedBy(node, literal), literal, node, parents: parents.slice(at + 1) });
  }
  return names;
}

const NAMED_BY: Readonly<Record<string, NamedBy>> = {
  ImportDeclaration: 'import',
  ExportNamedDeclaration: 'export',
  ExportAllDeclaration: 'export',
  TSImportEqualsDeclaration: 'import =',
  TSImportType: 'import type()',
};

function namedBy(node: Node, literal: Node): NamedBy {
  if (node.type === 'ImportExpression') return node.source === literal ? 'import()' : 'other';
  if (node.type === 'CallExpression') return node.arguments[0] === literal ? namedByCall(node) : 'other';
  return NAMED_BY[node.type] ?? 'other';
}

function namedByCall({ callee }: t.CallExpression): NamedBy {
  if (callee.type === 'Import') return 'import()';
  if (callee.type === 'Identifier') return callee.name === 'require' ? 'require' : 'other';
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return 'other';
  if (callee.object.type !== 'Identifier' || !['jest', 'vi'].includes(callee.object.name)) return 'other';
  if (MOCKING.includes(callee.property.name)) return 'mock';
  return REQUIRING.includes(callee.property.name) ? 'require' : 'other';
}

/** Returns a module name in the quotes of the string that it replaces. Folder names in it can have any character. */
export function quoteLike(source: Source, literal: Node, name: string): string {
  const quote = source.text[startOf(literal)]!;
  const escaped = name
    .replaceAll(/['"`$\\]/g, String.raw`\$&`)
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `${quote}${escaped}${quote}`;
}

/** Returns the text of a node. */
export const textOf = (source: Source, node: Node): string => source.text.slice(startOf(node), endOf(node));
