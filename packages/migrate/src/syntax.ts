import type * as t from '@babel/types';

type Node = t.Node;

/** A node with the nodes around it, the innermost first. */
export interface Visited {
  readonly node: Node;
  readonly parents: readonly Node[];
}

/** Returns the offset of the first character of a node. */
export const startOf = (node: Node): number => node.start!;
/** Returns the offset after the last character of a node. */
export const endOf = (node: Node): number => node.end!;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** Returns all nodes of a syntax tree, parents before children, in the order of the text. */
export function nodesOf(root: Node): Visited[] {
  const visited: Visited[] = [];
  const pending: Visited[] = [{ node: root, parents: [] }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    visited.push(next);
    const { node, parents } = next;
    const children = Object.entries(node)
      .filter(([key]) => key !== 'loc' && key !== 'extra' && !key.endsWith('omments'))
      .flatMap(([, value]: [string, unknown]) => (Array.isArray(value) ? (value as unknown[]) : [value]))
      .filter(isNode);
    for (const child of children.toReversed()) pending.push({ node: child, parents: [node, ...parents] });
  }
  return visited;
}

/** Returns the text of a string literal, or of a template without expressions. */
export function literalText(node: Node | null | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return node.value;
  if (node?.type === 'TSLiteralType') return literalText(node.literal);
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]!.value.cooked ?? undefined;
  return undefined;
}

/** Returns the name of a property that is not computed: `a` in `x.a`, `{ a: 1 }` and `{ 'a': 1 }`. */
export function nameOf(node: Node): string | undefined {
  return node.type === 'Identifier' ? node.name : literalText(node);
}

/** The uses of a name in a file. */
export interface References {
  readonly uses: readonly Visited[];
  /** Whether the name is declared again, for example as a parameter. Then a use can mean something else. */
  readonly isShadowed: boolean;
}

const IMPORTS = ['ImportSpecifier', 'ImportDefaultSpecifier', 'ImportNamespaceSpecifier', 'TSImportEqualsDeclaration'];

/** Returns the uses of a name that is declared by an import, or by the pattern of the `require()` at `declaration`. */
export function referencesTo(name: string, nodes: readonly Visited[], declaration?: Node): References {
  const uses: Visited[] = [];
  let isShadowed = false;
  for (const visited of nodes) {
    const { node, parents } = visited;
    if ((node.type !== 'Identifier' && node.type !== 'JSXIdentifier') || node.name !== name) continue;
    const parent = parents[0]!;
    if (parent === declaration || IMPORTS.includes(parent.type) || isPropertyName(node, parent)) continue;
    if (declaration && parents.includes(declaration) && !isInside(node, initOf(declaration))) continue;
    if (declaresName(node, parents)) isShadowed = true;
    else uses.push(visited);
  }
  return { uses, isShadowed };
}

const initOf = (node: Node) => (node.type === 'VariableDeclarator' ? node.init : undefined);
/** Whether a node is a part of another node. */
export const isInside = (node: Node, outer: Node | null | undefined): boolean =>
  outer != null && startOf(node) >= startOf(outer) && endOf(node) <= endOf(outer);

function isPropertyName(node: Node, parent: Node): boolean {
  if (parent.type === 'MemberExpression' || parent.type === 'OptionalMemberExpression')
    return parent.property === node && !parent.computed;
  if (parent.type === 'TSQualifiedName') return parent.right === node;
  if (parent.type === 'ObjectProperty') return parent.key === node && !parent.computed && !parent.shorthand;
  if (parent.type === 'ExportSpecifier') return parent.local !== node;
  const keyed = ['ObjectMethod', 'ClassMethod', 'ClassProperty', 'TSPropertySignature', 'TSMethodSignature'];
  if (keyed.includes(parent.type)) return (parent as t.ClassMethod).key === node && !(parent as t.ClassMethod).computed;
  return parent.type === 'TSEnumMember' || parent.type === 'LabeledStatement';
}

/** Whether an identifier is a declaration: a variable, a parameter, a function, a class or a type. */
function declaresName(node: Node, parents: readonly Node[]): boolean {
  const parent = parents[0]!;
  if ('id' in parent && parent.id === node) return true;
  if (parent.type === 'CatchClause') return true;
  let child = node;
  for (const outer of parents) {
    if (outer.type === 'VariableDeclarator') return outer.id === child;
    if ('params' in outer && Array.isArray(outer.params))
      return (outer.params as Node[]).includes(child) && !outer.type.startsWith('TSType');
    const isPattern =
      (outer.type === 'ObjectProperty' && outer.value === child) ||
      (outer.type === 'AssignmentPattern' && outer.left === child) ||
      ['ObjectPattern', 'ArrayPattern', 'RestElement', 'TSParameterProperty'].includes(outer.type);
    if (!isPattern) return false;
    child = outer;
  }
  return false;
}
