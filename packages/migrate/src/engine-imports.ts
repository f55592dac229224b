import type * as t from '@babel/types';

import { lineBreakOf } from './edits.js';
import { classOfFile, isClass, isExported, isMemberType } from './engine-names.js';
import { OLD_PACKAGES } from './old-packages.js';
import { GUIDE, type GuideLink } from './guide.js';
import { type ModuleName, quoteLike, textOf } from './module-names.js';
import { note, replace, type Source } from './source.js';
import { endOf, nameOf, referencesTo, startOf } from './syntax.js';

const ENGINE = 'nest-oauth2/server';

/** A local name of the class `OAuth2Server`. */
export interface ServerClass {
  readonly name: string;
  /** The declaration, if it is the pattern of a `require()`. */
  readonly declaration?: t.Node;
  /** The class is the member `default` of this namespace, not the value itself. */
  readonly isNamespace?: boolean;
}

/** Replaces the module name of an old engine. */
export const renameEngine = (source: Source, { literal }: ModuleName): void =>
  replace(source, startOf(literal), endOf(literal), quoteLike(source, literal, ENGINE));

/** Leaves the place as it is and tells why. */
export const leave = (source: Source, { node }: ModuleName, reason: string, link: GuideLink = GUIDE.commonJs): void =>
  note(source, startOf(node), 'left', reason, link);

/** Rewrites an `import` of an old engine. Returns the local names of the class `OAuth2Server`. */
export function rewriteImport(source: Source, at: ModuleName): ServerClass[] {
  const declaration = at.node as t.ImportDeclaration;
  if (at.module.path !== '') return rewriteFileImport(source, at, declaration);
  const [whole, ...rest] = declaration.specifiers;
  if (whole?.type === 'ImportNamespaceSpecifier') return rewriteNamespace(source, at, whole);
  if (rest.some(({ type }) => type === 'ImportNamespaceSpecifier'))
    return left(source, at, 'An import has both a default and a namespace.');
  const named = declaration.specifiers.filter((one) => one.type === 'ImportSpecifier');
  const unknown = named.find(({ imported }) => !isExported(nameOf(imported)) && !isMemberType(nameOf(imported)!));
  if (unknown) return left(source, at, `\`${ENGINE}\` exports no \`${nameOf(unknown.imported)}\`.`, GUIDE.typeScript);
  const servers = declaration.specifiers
    .filter((one) => one.type === 'ImportDefaultSpecifier' || isServer(nameOf((one as t.ImportSpecifier).imported)))
    .map(({ local }) => ({ name: local.name }));
  if (named.some(({ imported }) => isMemberType(nameOf(imported)!))) {
    const server = servers[0]?.name ?? importedServer(source);
    if (!moveTypes(source, at, named, server)) return [];
  }
  renameEngine(source, at);
  return servers;
}

const isServer = (name: string | undefined) => name === 'default' || name === 'OAuth2Server';

function left(source: Source, at: ModuleName, reason: string, link: GuideLink = GUIDE.commonJs): [] {
  leave(source, at, reason, link);
  return [];
}

/** Rewrites the import of a file such as `oauth2-server/lib/errors/invalid-grant-error`. */
function rewriteFileImport(source: Source, at: ModuleName, { specifiers }: t.ImportDeclaration): ServerClass[] {
  const name = classOfFile(at.module.path);
  const [only] = specifiers;
  if (!name || specifiers.length !== 1 || only!.type === 'ImportSpecifier')
    return left(source, at, `The file \`${at.module.path}\` has no equivalent in \`${ENGINE}\`.`, GUIDE.checks);
  const local = only!.local.name;
  replace(source, startOf(only!), endOf(only!), `{ ${name === local ? name : `${name} as ${local}`} }`);
  renameEngine(source, at);
  return isServer(name) ? [{ name: local }] : [];
}

/** `import * as OAuth2Server` becomes a default import, unless the file uses `.default`. */
function rewriteNamespace(source: Source, at: ModuleName, specifier: t.ImportNamespaceSpecifier): ServerClass[] {
  const { name } = specifier.local;
  const { uses, isShadowed } = referencesTo(name, source.nodes);
  if (isShadowed) return left(source, at, `The name \`${name}\` is declared twice.`);
  const members = uses.map(({ node, parents: [parent] }) => memberOf(node, parent!));
  if (members.includes('default')) {
    if (!members.every(isClass)) return left(source, at, `The file uses \`${name}\` and \`${name}.default\`.`);
    renameEngine(source, at);
    return [{ name, isNamespace: true }];
  }
  replace(source, startOf(specifier), endOf(specifier), name);
  renameEngine(source, at);
  return [{ name }];
}

/** Returns the member that is read from an identifier, or `undefined` if the identifier itself is used. */
export function memberOf(node: t.Node, parent: t.Node): string | undefined {
  if (parent.type === 'MemberExpression' && parent.object === node)
    return parent.computed ? undefined : nameOf(parent.property);
  return parent.type === 'TSQualifiedName' && parent.left === node ? parent.right.name : undefined;
}

const isEngine = (name: string) => name === ENGINE || OLD_PACKAGES[name]?.kind === 'engine';

/** Returns the name under which another import of the file has the class `OAuth2Server`. */
function importedServer(source: Source): string | undefined {
  const declarations = source.nodes.flatMap(({ node }) => (node.type === 'ImportDeclaration' ? [node] : []));

  return declarations
    .filter((one) => isEngine(one.source.value) && one.importKind !== 'type')
    .flatMap((one) => one.specifiers)
    .find((one) => one.type === 'ImportDefaultSpecifier')?.local.name;
}

const isMoved = ({ imported }: t.ImportSpecifier) => isMemberType(nameOf(imported)!);

/** Replaces imported types by aliases of the members of `OAuth2Server`. Returns whether the rest of the import is rewritten. */
function moveTypes(source: Source, at: ModuleName, named: readonly t.ImportSpecifier[], server?: string): boolean {
  const [first, last] = [named[0]!, named.at(-1)!];
  const list = source.text.slice(startOf(first), endOf(last));
  const isFree = source.nodes.every(({ node }) => node.type !== 'Identifier' || node.name !== 'OAuth2Server');
  if (/\/[/*]/.test(list) || (server === undefined && !isFree)) {
    leave(source, at, 'The imported types are members of `OAuth2Server` now.', GUIDE.typeScript);
    return false;
  }
  const moved = named.filter(isMoved);
  const onlyTypes = (at.node as t.ImportDeclaration).importKind === 'type';
  const added = server === undefined ? [onlyTypes ? 'OAuth2Server' : 'type OAuth2Server'] : [];
  const separator = /,\s*/.exec(list)?.[0] ?? ', ';
  const kept = [...added, ...named.filter((one) => !isMoved(one)).map((one) => textOf(source, one))];
  const aliases = moved.map(
    ({ imported, local }) => `type ${local.name} = ${server ?? 'OAuth2Server'}.${nameOf(imported)};`,
  );
  const lineBreak = lineBreakOf(source.text);
  if (kept.length === 0 && (at.node as t.ImportDeclaration).specifiers.length === named.length) {
    replace(source, startOf(at.node), endOf(at.node), aliases.join(lineBreak));
    return false;
  }
  if (kept.length > 0) replace(source, startOf(first), endOf(last), kept.join(separator));
  else {
    // All names have moved, and the default import remains: `import OAuth2Server, { ServerOptions }`.
    const brace = source.text.lastIndexOf('{', startOf(first));
    const comma = source.text.lastIndexOf(',', brace);
    replace(source, comma, source.text.indexOf('}', endOf(last)) + 1, '');
  }
  replace(source, endOf(at.node), endOf(at.node), `${lineBreak}${aliases.join(lineBreak)}`);
  return true;
}

/** Rewrites `export … from` an old engine. Returns whether it exports the class `OAuth2Server`. */
export function rewriteExport(source: Source, at: ModuleName): boolean {
  const declaration = at.node as t.ExportNamedDeclaration | t.ExportAllDeclaration;
  const isStar = declaration.type === 'ExportAllDeclaration';
  const specifiers = isStar ? [] : declaration.specifiers;
  const names = specifiers.map((one) => (one.type === 'ExportSpecifier' ? one.local.name : undefined));
  if (isStar || at.module.path !== '' || !names.every(isExported)) {
    const reason = isStar
      ? `\`export *\` would export all of \`${ENGINE}\`, which has more names: list the names.`
      : `\`${ENGINE}\` does not export these names in the same way.`;
    leave(source, at, reason, GUIDE.typeScript);
    return false;
  }
  renameEngine(source, at);
  return names.some(isServer);
}

/** Rewrites `import OAuth2Server = require('…')`. */
export function rewriteImportEquals(source: Source, at: ModuleName): ServerClass[] {
  const declaration = at.node as t.TSImportEqualsDeclaration;
  const name = classOfFile(at.module.path);
  if (!name || declaration.isExport)
    return left(source, at, 'This form of import has no equivalent.', GUIDE.typeScript);
  const local = declaration.id.name;
  const kind = declaration.importKind === 'type' ? 'import type' : 'import';
  const specifier = name === local ? name : `${name} as ${local}`;
  const end = source.text.endsWith(';', endOf(declaration)) ? ';' : '';
  const text = `${kind} { ${specifier} } from ${quoteLike(source, at.literal, ENGINE)}${end}`;
  replace(source, startOf(declaration), endOf(declaration), text);
  return isServer(name) ? [{ name: local }] : [];
}

/** Rewrites the type `import('…').Token`. */
export function rewriteImportType(source: Source, at: ModuleName): void {
  const name = classOfFile(at.module.path);
  if (!name) return leave(source, at, `The file \`${at.module.path}\` has no equivalent.`, GUIDE.typeScript);
  const close = source.text.indexOf(')', endOf(at.literal)) + 1;
  renameEngine(source, at);
  replace(source, close, close, `.${name}`);
}
