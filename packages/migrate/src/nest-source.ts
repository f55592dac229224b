import type * as t from '@babel/types';

import { lineBreakOf } from './edits.js';
import { objectOf } from './engine-requires.js';
import { GUIDE } from './guide.js';
import { type ModuleName, quoteLike, textOf } from './module-names.js';
import { replacementOf } from './nest-decorators.js';
import { addProperties, hasSpread, propertyOf } from './option-edits.js';
import { scopeFormat } from './scope-format.js';
import { note, replace, type Source } from './source.js';
import { endOf, nameOf, referencesTo, startOf, type Visited } from './syntax.js';

/** The types of the wrappers, with their names in `nest-oauth2`. */
const TYPES: Readonly<Record<string, string>> = {
  IOAuth2ServerModuleOptions: 'OAuth2Options',
  IOAuth2ServerOptions: 'OAuth2Options',
  OAuth2ServerModuleOptions: 'OAuth2Options',
  IOAuth2ServerOptionsFactory: 'OAuth2OptionsFactory',
  OAuth2ServerOptionsFactory: 'OAuth2OptionsFactory',
  IOAuth2ServerModuleAsyncOptions: 'OAuth2ModuleAsyncOptions',
  OAuth2ServerModuleAsyncOptions: 'OAuth2ModuleAsyncOptions',
};

/** The names that replace the other exports of the wrappers. */
const NEW_NAMES: Readonly<Record<string, readonly string[]>> = {
  OAuth2ServerModule: ['OAuth2Module'],
  OAuth2Model: ['Injectable'],
  OAuth2Authenticate: ['OAuthGuard', 'Scopes', 'UseGuards'],
  OAuth2ServerAuthenticate: ['OAuthGuard', 'Scopes', 'UseGuards'],
  OAuth2Token: ['AccessToken'],
};

/** The changes of one file that names a wrapper. They are applied only for the names whose uses are all rewritten. */
interface Changes {
  readonly names: Set<string>;
  readonly types: Set<string>;
  readonly common: Set<string>;
}

/** Rewrites a place where a file names a Nest wrapper. */
export function rewriteNest(source: Source, at: ModuleName): void {
  const declaration = at.node as t.ImportDeclaration;
  const specifiers = at.by === 'import' && at.module.path === '' ? declaration.specifiers : [];
  const named = specifiers.filter((one) => one.type === 'ImportSpecifier');
  if (named.length === 0 || named.length < specifiers.length)
    return note(source, startOf(at.node), 'left', 'Only an import of names is rewritten.', GUIDE.nest);
  const changes: Changes = { names: new Set(), types: new Set(), common: new Set() };
  const kept = named.filter((one) => !rewriteName(source, at, one, changes));
  const isChanged = changes.names.size + changes.types.size + changes.common.size > 0;
  if (isChanged || kept.length < named.length) rewriteImports(source, at, kept, changes);
}

/** Rewrites all uses of an imported name. Returns `false` if a use must stay, and with it the import. */
function rewriteName(source: Source, at: ModuleName, specifier: t.ImportSpecifier, changes: Changes): boolean {
  const [name, local] = [nameOf(specifier.imported)!, specifier.local.name];
  const { uses, isShadowed } = referencesTo(local, source.nodes);
  if (isShadowed) return left(source, specifier, `The name \`${local}\` is declared twice.`);
  const taken = newNames(name).find((one) => isTaken(source, one));
  if (taken !== undefined) return left(source, specifier, `The file already uses the name \`${taken}\`.`);
  const results = uses.map((use) => rewriteUse(source, at, name, use, changes));
  return results.every(Boolean);
}

const newNames = (name: string) => (Object.hasOwn(TYPES, name) ? [TYPES[name]!] : (NEW_NAMES[name] ?? []));

/** Whether the file uses a name that it does not import from `nest-oauth2` or `@nestjs/common`. */
const isTaken = (source: Source, name: string) =>
  source.nodes.some(({ node }) => node.type === 'Identifier' && node.name === name) &&
  !imports(source, name, 'nest-oauth2') &&
  !imports(source, name, '@nestjs/common');

function rewriteUse(source: Source, at: ModuleName, name: string, use: Visited, changes: Changes): boolean {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type !== undefined) {
    if (type === 'OAuth2OptionsFactory') rewriteFactory(source, at, use);
    changes.types.add(type);
    replace(source, startOf(use.node), endOf(use.node), type);
    return true;
  }
  if (name === 'OAuth2ServerModule') return rewriteModule(source, at, use, changes);
  const replacement = replacementOf(source, name, use);
  if (typeof replacement === 'string') return left(source, use.node, replacement);
  const call = use.parents[0]!;
  replace(source, startOf(call), endOf(call), replacement.text);
  for (const one of replacement.names) changes.names.add(one);
  for (const one of replacement.common) changes.common.add(one);
  return true;
}

function left(source: Source, node: t.Node, reason: string): false {
  note(source, startOf(node), 'left', reason, GUIDE.nest);
  return false;
}

/** Rewrites `OAuth2ServerModule.forRoot({ … })` and `forRootAsync()`. */
function rewriteModule(source: Source, at: ModuleName, { node, parents }: Visited, changes: Changes): boolean {
  const [member, call] = parents;
  const method = member?.type === 'MemberExpression' && member.object === node ? nameOf(member.property) : undefined;
  const options = call?.type === 'CallExpression' && call.callee === member ? call.arguments[0] : undefined;
  const object = options?.type === 'ObjectExpression' && !hasSpread(options) ? options : undefined;
  if (!object || (method !== 'forRoot' && method !== 'forRootAsync'))
    return left(source, node, 'The options of the module are not written at this place.');
  const isArray = source.hasArrayScopes(at.module.name);
  const modelClass = propertyOf(object, 'modelClass');
  if (method === 'forRoot') {
    if (!modelClass && !propertyOf(object, 'model'))
      return left(source, node, 'Set the option `model` to the class with `@OAuth2Model()`: `forRoot({ model })`.');
  } else if (!rewriteAsync(source, object, isArray)) {
    return left(source, node, 'The factory returns no `model` here. Write `OAuth2Module.forRootAsync({ model, … })`.');
  }
  if (modelClass?.type === 'ObjectProperty') replace(source, startOf(modelClass.key), endOf(modelClass.key), 'model');
  const isShort = method === 'forRoot' && isArray && !propertyOf(object, 'scopeFormat');
  const global = propertyOf(object, 'isGlobal') ? [] : ['isGlobal: true'];
  addProperties(source, object, [...(isShort ? [scopeFormat(source)] : []), ...global]);
  changes.names.add('OAuth2Module');
  replace(source, startOf(node), endOf(node), 'OAuth2Module');
  return true;
}

/** Whether `forRootAsync()` finds its model. The factory must return it, as `nest-oauth2-server` requires. */
function rewriteAsync(source: Source, object: t.ObjectExpression, isArray: boolean): boolean {
  const factory = propertyOf(object, 'useFactory');
  const made = propertyOf(object, 'useClass') ?? propertyOf(object, 'useExisting');
  const hasModel = propertyOf(object, 'model') !== undefined || propertyOf(object, 'modelClass') !== undefined;
  if (!factory) {
    if (!made || !(isArray || hasModel)) return false;
    note(source, startOf(made), 'check', 'The class must have the method `createOAuth2Options()`.', GUIDE.nest);
    return true;
  }
  const returned = objectOf(factory.type === 'ObjectProperty' ? factory.value : factory);
  if (!returned || hasSpread(returned) || (!hasModel && !propertyOf(returned, 'model'))) return false;
  if (isArray && !propertyOf(returned, 'scopeFormat')) addProperties(source, returned, [scopeFormat(source)]);
  return true;
}

/** Renames the method of a class that implements the factory. */
function rewriteFactory(source: Source, at: ModuleName, { parents }: Visited): void {
  const owner = parents.find(({ type }) => type === 'ClassDeclaration') as t.ClassDeclaration | undefined;
  const methods = owner?.body.body ?? [];
  const method = methods.find((one) => one.type === 'ClassMethod' && nameOf(one.key) === 'createOAuth2ServerOptions');
  if (method?.type !== 'ClassMethod') return;
  replace(source, startOf(method.key), endOf(method.key), 'createOAuth2Options');
  if (!source.hasArrayScopes(at.module.name)) return;
  const returned = objectOf(method);
  if (returned && !hasSpread(returned)) addProperties(source, returned, [scopeFormat(source)]);
  else note(source, startOf(method), 'check', "The options must contain `scopeFormat: 'array'`.", GUIDE.version5);
}

/** Replaces the import of the wrapper. Names whose uses were not rewritten stay imported from the wrapper. */
function rewriteImports(source: Source, at: ModuleName, kept: readonly t.ImportSpecifier[], changes: Changes): void {
  const lineBreak = lineBreakOf(source.text);
  const isNew = (name: string) => !imports(source, name, 'nest-oauth2');
  const types = [...changes.types].filter(isNew).map((name) => `type ${name}`);
  const lines = [importLine(source, at, [...[...changes.names].filter(isNew), ...types], 'nest-oauth2')];
  if (kept.length > 0) {
    const names = kept.map((one) => textOf(source, one));
    lines.unshift(importLine(source, at, names, at.module.name));
  }
  const missing = [...changes.common].filter((name) => !imports(source, name, '@nestjs/common'));
  const common = source.nodes.find(({ node }) => isCommonImport(node))?.node as t.ImportDeclaration | undefined;
  const last = common?.specifiers.findLast((one) => one.type === 'ImportSpecifier');
  if (missing.length > 0 && last) replace(source, endOf(last), endOf(last), missing.map((one) => `, ${one}`).join(''));
  else if (missing.length > 0) lines.unshift(importLine(source, at, missing, '@nestjs/common'));
  replace(source, startOf(at.node), endOf(at.node), lines.filter(Boolean).join(lineBreak));
}

function importLine(source: Source, at: ModuleName, names: readonly string[], module: string): string {
  if (names.length === 0) return '';
  const end = source.text.endsWith(';', endOf(at.node)) ? ';' : '';
  return `import { ${names.toSorted().join(', ')} } from ${quoteLike(source, at.literal, module)}${end}`;
}

const isCommonImport = (node: t.Node) =>
  node.type === 'ImportDeclaration' && node.importKind !== 'type' && node.source.value === '@nestjs/common';

const imports = (source: Source, name: string, module: string) =>
  source.nodes.some(({ node, parents: [parent] }) => {
    if (node.type !== 'ImportSpecifier' || node.local.name !== name) return false;
    return parent?.type === 'ImportDeclaration' && parent.source.value === module;
  });
