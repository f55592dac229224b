import type * as t from '@babel/types';

import { leave, memberOf, renameEngine, type ServerClass } from './engine-imports.js';
import { classOfFile, isClass } from './engine-names.js';
import { GUIDE } from './guide.js';
import type { ModuleName } from './module-names.js';
import { note, replace, type Source } from './source.js';
import { endOf, nameOf, referencesTo, startOf } from './syntax.js';

/** The result of rewriting a `require()`. */
export interface Required {
  readonly servers: readonly ServerClass[];
  /** The `new` expression that constructs the required class at once: `new (require('…'))()`. */
  readonly construction?: t.NewExpression;
  /** Whether the class is used as a value that this file does not construct. */
  readonly isPassedOn?: boolean;
}

/** Rewrites `require('…')` of an old engine. */
export function rewriteRequire(source: Source, at: ModuleName): Required {
  const name = classOfFile(at.module.path);
  const parent = at.parents[0]!;
  if (!name) {
    leave(source, at, `The file \`${at.module.path}\` has no equivalent in \`nest-oauth2/server\`.`, GUIDE.checks);
    return { servers: [] };
  }
  if (parent.type === 'VariableDeclarator') return rewriteVariable(source, at, parent, name);
  if (parent.type === 'ExpressionStatement') return rename(source, at);
  const member = memberOf(at.node, parent);
  if (name === 'OAuth2Server' && isClass(member)) return rename(source, at);
  renameEngine(source, at);
  replace(source, endOf(at.node), endOf(at.node), `.${name}`);
  if (name !== 'OAuth2Server') return { servers: [] };
  if (parent.type === 'NewExpression' && parent.callee === at.node) return { servers: [], construction: parent };
  return { servers: [], isPassedOn: member === undefined };
}

function rename(source: Source, at: ModuleName, servers: readonly ServerClass[] = []): Required {
  renameEngine(source, at);
  return { servers };
}

function rewriteVariable(source: Source, at: ModuleName, declarator: t.VariableDeclarator, name: string): Required {
  const { id } = declarator;
  const isTyped = 'typeAnnotation' in id && id.typeAnnotation;
  if (id.type === 'Identifier' && !isTyped) {
    replace(source, startOf(id), endOf(id), `{ ${id.name === name ? name : `${name}: ${id.name}`} }`);
    return rename(source, at, name === 'OAuth2Server' ? [{ name: id.name, declaration: declarator }] : []);
  }
  if (id.type === 'ObjectPattern' && !isTyped && name === 'OAuth2Server' && hasClasses(id))
    return rename(source, at, serversOf(id, declarator));
  leave(source, at, 'The variable takes members that have no equivalent, or has a type.');
  return { servers: [] };
}

const hasClasses = ({ properties }: t.ObjectPattern) =>
  properties.every((one) => one.type === 'ObjectProperty' && !one.computed && isClass(nameOf(one.key)));

function serversOf({ properties }: t.ObjectPattern, declaration: t.Node): ServerClass[] {
  return (properties as t.ObjectProperty[])
    .filter(({ key }) => ['default', 'OAuth2Server'].includes(nameOf(key)!))
    .flatMap(({ value }) => (value.type === 'Identifier' ? [{ name: value.name, declaration }] : []));
}

/** Rewrites `import('…')` of an old engine, if only members are used that exist in both packages. */
export function rewriteDynamicImport(source: Source, at: ModuleName): readonly ServerClass[] {
  const awaited = at.parents[0]!;
  const user = at.parents[1];
  if (at.module.path === '' && awaited.type === 'AwaitExpression' && user) {
    if (isClass(memberOf(awaited, user))) return rename(source, at).servers;
    if (user.type === 'VariableDeclarator') {
      const { id } = user;
      if (id.type === 'ObjectPattern' && hasClasses(id)) return rename(source, at, serversOf(id, user)).servers;
      if (id.type === 'Identifier') {
        const { uses, isShadowed } = referencesTo(id.name, source.nodes, user);
        const isKnown = !isShadowed && uses.every(({ node, parents }) => isClass(memberOf(node, parents[0]!)));
        if (isKnown) return rename(source, at, [{ name: id.name, declaration: user, isNamespace: true }]).servers;
      }
    }
  }
  leave(source, at, 'The members that this dynamic import uses are not certain.');
  return [];
}

/** Rewrites `jest.mock('…')`. A factory must return an object with the names of the module. */
export function rewriteMock(source: Source, at: ModuleName): void {
  const factory = (at.node as t.CallExpression).arguments[1];
  if (at.module.path !== '')
    return leave(source, at, 'A file of the old package is mocked, which is not exported any more.', GUIDE.checks);
  const object = factory && objectOf(factory);
  const isModule = object?.properties.every(
    (one) =>
      one.type !== 'SpreadElement' && !one.computed && (nameOf(one.key) === '__esModule' || isClass(nameOf(one.key))),
  );
  if (factory && !isModule)
    return leave(source, at, 'The mock must return an object with a member `OAuth2Server`, not the class.');
  renameEngine(source, at);
  if (factory && !object!.properties.some((one) => nameOf((one as t.ObjectProperty).key) === 'OAuth2Server'))
    note(source, startOf(at.node), 'check', 'The mock has no member `OAuth2Server`.', GUIDE.commonJs);
}

/** Returns the object that a function returns in its only statement. */
export function objectOf(node: t.Node): t.ObjectExpression | undefined {
  if (node.type === 'ObjectExpression') return node;
  if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression') return objectOf(node.expression);
  if (node.type === 'ReturnStatement') return node.argument ? objectOf(node.argument) : undefined;
  if (node.type === 'BlockStatement') return node.body.length === 1 ? objectOf(node.body[0]!) : undefined;
  const isFunction = ['ArrowFunctionExpression', 'FunctionExpression', 'ClassMethod', 'ObjectMethod'].includes(
    node.type,
  );
  return isFunction ? objectOf((node as t.ArrowFunctionExpression).body) : undefined;
}
