import type * as t from '@babel/types';

import { GUIDE } from './guide.js';
import { memberOf } from './engine-imports.js';
import { type ModuleName, quoteLike } from './module-names.js';
import { constructWithArrays, keepArrayScopes } from './scope-format.js';
import { note, replace, type Source } from './source.js';
import { endOf, nameOf, referencesTo, startOf } from './syntax.js';

const CONSENT = 'An authorization endpoint must ask the user before it responds. Check who calls `authorize()`.';

/** Rewrites a place where a file names an Express wrapper: the class comes from a new file of the application. */
export function rewriteExpress(source: Source, at: ModuleName): void {
  const found = at.module.path === '' ? importOf(at) : undefined;
  const declaration = at.parents[0]?.type === 'VariableDeclarator' ? at.parents[0] : undefined;
  const uses = found?.name === undefined ? [] : referencesTo(found.name, source.nodes, declaration).uses;
  const types = uses.filter(({ parents }) => parents[0]!.type === 'TSQualifiedName');
  if (!found || types.length > 0)
    return note(
      source,
      startOf(types[0]?.node ?? at.node),
      'left',
      'This use of the wrapper has no equivalent.',
      GUIDE.express,
    );
  const quoted = quoteLike(source, at.literal, source.expressModule());
  if (found.rewritten) replace(source, found.rewritten.start, found.rewritten.end, found.rewritten.text(quoted));
  if (!found.rewritten?.isWhole) replace(source, startOf(at.literal), endOf(at.literal), quoted);
  if (source.hasArrayScopes(at.module.name)) {
    if (found.name !== undefined) keepArrayScopes(source, { name: found.name, ...(declaration && { declaration }) });
    const [parent] = at.parents;
    if (parent?.type === 'NewExpression' && parent.callee === at.node) constructWithArrays(source, parent);
  }
  for (const { node } of source.nodes)
    if (node.type === 'CallExpression' && memberName(node.callee) === 'authorize')
      note(source, startOf(node), 'check', CONSENT, GUIDE.express);
}

const memberName = (node: t.Node) =>
  node.type === 'MemberExpression' && !node.computed ? nameOf(node.property) : undefined;

interface Import {
  /** The local name of the class. */
  readonly name?: string;
  readonly rewritten?: { start: number; end: number; isWhole?: boolean; text: (quoted: string) => string };
}

function importOf({ by, node, parents }: ModuleName): Import | undefined {
  if (by === 'import') {
    const { specifiers } = node as t.ImportDeclaration;
    const [only] = specifiers;
    if (specifiers.length !== 1 || only!.type === 'ImportSpecifier') return undefined;
    const { name } = only!.local;
    if (only!.type === 'ImportDefaultSpecifier') return { name };
    return { name, rewritten: { start: startOf(only!), end: endOf(only!), text: () => name } };
  }
  if (by === 'import =') {
    const { id, isExport } = node as t.TSImportEqualsDeclaration;
    if (isExport) return undefined;
    const text = (quoted: string) => `import ${id.name} from ${quoted};`;
    return { name: id.name, rewritten: { start: startOf(node), end: endOf(node), isWhole: true, text } };
  }
  const parent = parents[0];
  if (by !== 'require' || !parent || memberOf(node, parent) !== undefined) return undefined;
  if (parent.type !== 'VariableDeclarator') return {};
  return parent.id.type === 'Identifier' && !parent.id.typeAnnotation ? { name: parent.id.name } : undefined;
}
