// Finds the texts of errors in the source: the messages, and the `reason` and `remedy` that `because()` attaches. A part
// of a text that is known only at run time is written `…`.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const root = join(import.meta.dirname, '..');
/** Files whose errors no application receives. */
const OMITTED = /\.d\.ts$|^(?:lib\/(?:kit|testing)|src\/(?:cli|testing|schematics))\b/;
const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
/** A text with more alternatives contains `…` instead. */
const MAX_ALTERNATIVES = 6;
const MAX_DEPTH = 8;
/** The types of nodes that `textsOf()` reads. */
const TEXT = /^(?:Literal|TemplateLiteral|BinaryExpression)$/;

/** Calls `visit` with a node and with each node inside of it. */
function walk(node, visit, parent) {
  if (Array.isArray(node)) return node.forEach((one) => walk(one, visit, parent));
  if (!node || typeof node !== 'object') return;
  if (node.type) visit(node, parent);
  for (const [key, value] of Object.entries(node)) {
    if (!ADDED.has(key)) walk(value, visit, node.type ? node : parent);
  }
}

/** Properties of nodes that this script adds. */
const ADDED = new Set(['type', 'module', 'parent']);

/** The modules of the source by path. */
const modules = new Map();

function readModule(path) {
  const code = readFileSync(join(root, path), 'utf8');
  const ast = parseAst(code, { lang: 'ts' });
  const module = { path, code, ast, imports: new Map(), nodes: new Map() };
  walk(ast, (node, parent) => {
    node.module = module;
    node.parent = parent;
    if (!module.nodes.has(node.type)) module.nodes.set(node.type, []);
    module.nodes.get(node.type).push(node);
    if (node.type !== 'ImportDeclaration' || !node.source.value.startsWith('.')) return;
    const from = posix.join(posix.dirname(path), node.source.value).replace(/\.js$/, '.ts');
    for (const one of node.specifiers) module.imports.set(one.local.name, from);
  });
  modules.set(path, module);
}

for (const folder of ['lib', 'src']) {
  for (const name of readdirSync(join(root, folder), { recursive: true }).toSorted()) {
    const path = posix.join(folder, name.replaceAll('\\', '/'));
    if (path.endsWith('.ts') && !OMITTED.test(path)) readModule(path);
  }
}

/** All nodes of a type, in the order of the files. */
const nodesOf = (type) => [...modules.values()].flatMap(({ nodes }) => nodes.get(type) ?? []);

/** The calls of functions by the name of the function. */
const callsByName = new Map();
for (const call of nodesOf('CallExpression')) {
  const { name } = call.callee;
  if (name !== undefined) callsByName.set(name, [...(callsByName.get(name) ?? []), call]);
}

/** Returns the declaration of a name in these statements: the value of a constant, or a function. */
function declaredIn(statements, name) {
  for (const statement of statements) {
    const declaration = statement.declaration ?? statement;
    if (declaration.type === 'FunctionDeclaration' && declaration.id.name === name) return declaration;
    const found = declaration.declarations?.find(({ id }) => id.name === name);
    if (found) return found.init;
  }
  return undefined;
}

/** Returns what a name stands for at a node: a value, or `{ parameter, of }` for the parameter of a function. */
function lookUp(name, from) {
  for (let node = from.parent; node; node = node.parent) {
    if (node.type === 'BlockStatement' || node.type === 'Program') {
      const found = declaredIn(node.body, name);
      if (found) return found;
    }
    if (!FUNCTION.test(node.type)) continue;
    const index = node.params.findIndex((one) => (one.left ?? one).name === name);
    if (index !== -1) return { parameter: index, of: node };
  }
  const path = from.module.imports.get(name);
  const other = path && modules.get(path);
  return other && declaredIn(other.ast.body, name);
}

/** Returns the calls of a function that a name of its module declares. */
function callsOf(fn) {
  const name = fn.id?.name ?? (fn.parent.type === 'VariableDeclarator' ? fn.parent.id.name : undefined);
  if (name === undefined) return [];
  return (callsByName.get(name) ?? []).filter((call) => lookUp(name, call) === fn);
}

/** Returns the innermost function that contains a node. */
function functionAround(node) {
  let fn = node;
  while (fn && !FUNCTION.test(fn.type)) fn = fn.parent;
  return fn;
}

/** Returns the values that a function returns. */
function returnsOf(fn) {
  if (fn.body.type !== 'BlockStatement') return [fn.body];
  const returns = (fn.module.nodes.get('ReturnStatement') ?? []).filter((one) => functionAround(one) === fn);
  return returns.map(({ argument }) => argument).filter(Boolean);
}

/**
 * Returns the nodes that a node stands for, after names, calls of functions and conditions are followed.
 * @param calls The calls of functions that led to the node, the innermost first: they determine the parameters.
 */
function resolve(node, calls = [], depth = 0) {
  if (!node || depth > MAX_DEPTH) return [];
  const next = (one, path = calls) => resolve(one, path, depth + 1);
  switch (node.type) {
    case 'ConditionalExpression':
      return [...next(node.consequent), ...next(node.alternate)];
    case 'LogicalExpression':
      return [...(node.operator === '&&' ? [] : next(node.left)), ...next(node.right)];
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'TSSatisfiesExpression':
    case 'AwaitExpression':
      return next(node.expression ?? node.argument);
    case 'Identifier': {
      const found = lookUp(node.name, node);
      if (!found) return [{ node, calls }];
      if (found.parameter === undefined) return FUNCTION.test(found.type) ? [{ node: found, calls }] : next(found);
      const [call, ...outer] = calls;
      if (call?.fn === found.of) {
        const given = call.node.arguments[found.parameter] ?? found.of.params[found.parameter].right;
        return next(given, outer);
      }
      return callsOf(found.of).flatMap((one) =>
        next(one.arguments[found.parameter] ?? found.of.params[found.parameter].right, []),
      );
    }
    case 'CallExpression': {
      const found = node.callee.type === 'Identifier' && lookUp(node.callee.name, node);
      if (!found || !FUNCTION.test(found.type)) return [{ node, calls }];
      return returnsOf(found).flatMap((one) => next(one, [{ fn: found, node }, ...calls]));
    }
    case 'MemberExpression': {
      const object = node.computed ? next(node.object)[0]?.node : undefined;
      if (object?.type !== 'ObjectExpression') return [{ node, calls }];
      return object.properties.flatMap(({ value }) => next(value));
    }
    default:
      return [{ node, calls }];
  }
}

/** Whether numbers are read as parts of texts, as the limits in the checks of options. */
let readsNumbers = false;
const isTextual = (value) => typeof value === 'string' || (readsNumbers && typeof value === 'number');

/**
 * Returns the texts that a node may have. Empty if it is not a text.
 * @param limit the number of alternatives of a part; with more alternatives, the part is `…`
 */
function textsOf(node, calls = [], limit = MAX_ALTERNATIVES, depth = 0) {
  if (depth > MAX_DEPTH) return [];
  const texts = resolve(node, calls).flatMap(({ node: one, calls: path }) => {
    if (one.type === 'Literal') return isTextual(one.value) ? [String(one.value)] : [];
    if (one.type === 'TemplateLiteral') {
      const parts = one.quasis.flatMap((quasi, at) => [
        [quasi.value.cooked],
        ...(one.expressions[at] ? [partsOf(one.expressions[at], path, limit, depth + 1)] : []),
      ]);
      return product(parts);
    }
    if (one.type === 'BinaryExpression' && one.operator === '+')
      return product([partsOf(one.left, path, limit, depth + 1), partsOf(one.right, path, limit, depth + 1)]);
    return [];
  });
  return [...new Set(texts)];
}

/** Like `textsOf()`, for a part of a text. `…` if it is known only at run time. */
function partsOf(node, calls, limit, depth) {
  const texts = resolve(node, calls).every((one) => TEXT.test(one.node.type)) ? textsOf(node, calls, limit, depth) : [];
  return texts.length > 0 && texts.length <= limit ? texts : ['…'];
}

const product = (parts) =>
  parts
    .reduce((all, part) => all.flatMap((start) => part.map((end) => start + end)), [''])
    .map((text) => text.replaceAll(/…{2,}/g, '…'));

/** Returns the objects with a `reason` that a node may be. */
function detailsOf(node, calls = []) {
  return resolve(node, calls).flatMap(({ node: one, calls: path }) => {
    if (one.type !== 'ObjectExpression') return [];
    const own = (name) => one.properties.find(({ key }) => key?.name === name)?.value;
    const spread = one.properties
      .filter(({ type }) => type === 'SpreadElement')
      .flatMap(({ argument }) => detailsOf(argument, path));
    if (!own('reason')) return spread;
    const remedies = textsOf(own('remedy'), path);
    const remedy = own('remedy') && (remedies.length === 1 ? remedies[0] : '…');
    return textsOf(own('reason'), path).map((reason) => ({ reason, remedy, node: one }));
  });
}

/** Returns the names of the error classes and the messages that a node may be. */
function errorsOf(node, calls = []) {
  return resolve(node, calls).flatMap(({ node: one, calls: path }) => {
    if (one.type === 'CallExpression' && one.callee.property?.name === 'because')
      return errorsOf(one.callee.object, path);
    if (one.type !== 'NewExpression') return [];
    const messages = textsOf(one.arguments[0], path);
    return [{ name: one.callee.name, messages, node: one }];
  });
}

/** The error classes with an OAuth error code: the class, the code, the HTTP status and the comment with the RFC. */
export function readCatalog() {
  const code = readFileSync(join(root, 'lib/errors/catalog.ts'), 'utf8');
  const entries = [];
  let specification = '';
  for (const line of code.split('\n')) {
    if (/^\/\/ .*\b(?:RFC|OpenID)\b/.test(line)) specification = line.slice(3);
    const [, name, error, status] = /^export class (\w+) extends oauthError\('(\w+)', (\d+)\)/.exec(line) ?? [];
    if (name) entries.push({ name, error, status: Number(status), specification });
  }
  return entries;
}

/**
 * Returns the calls of the function around a node. The message and the reason in the function may be parameters, so
 * each call has its own pair. A single empty path if the function has no name.
 */
function callPaths(node) {
  const fn = functionAround(node);
  const calls = fn ? callsOf(fn) : [];
  return calls.length > 0 ? calls.map((call) => [{ fn, node: call }]) : [[]];
}

/** Returns each refusal: the class of the error, its messages, and the reason and the remedy in the log. */
export function readRefusals() {
  const found = [];
  const seen = new Set();
  for (const call of nodesOf('CallExpression').filter(({ callee }) => callee.property?.name === 'because')) {
    for (const path of callPaths(call)) {
      const errors = errorsOf(call.callee.object, path);
      const details = detailsOf(call.arguments[0], path);
      for (const { node } of details) seen.add(node);
      for (const { node } of details.length > 0 ? errors : []) seen.add(node);
      const names = [...new Set(errors.map(({ name }) => name))];
      const messages = [...new Set(errors.flatMap((one) => one.messages))];
      for (const name of names.length > 0 ? names : [undefined])
        for (const { reason, remedy } of details) found.push({ name, messages, reason, remedy });
    }
  }
  for (const object of nodesOf('ObjectExpression').filter((one) => !seen.has(one))) {
    for (const { reason, remedy } of detailsOf(object).filter(({ node }) => node === object))
      found.push({ name: undefined, messages: [], reason, remedy });
  }
  for (const node of nodesOf('NewExpression')) {
    if (seen.has(node) || !node.callee.name?.endsWith('Error')) continue;
    for (const message of textsOf(node.arguments[0])) found.push({ name: node.callee.name, messages: [message] });
  }
  return found;
}

/** Words of a message about the configuration. Other texts that functions return are not messages. */
const CONFIGURATION =
  /\b(?:must|requires?|cannot|unknown|needs|lacks?|forbids|contains?|the same|trusts no|listens|treats|supports|is a function|known)\b/;

/** Files whose functions return findings of the report. */
const FINDINGS = /^src\/report\/(?:rules|deployment)\//;

/** The start of the messages of general checks, whose option and owner are known only in the table of options. */
const SUBJECT = /^`…` (?:of …|… …) /;
/** The messages of general checks. The tables of options have them with their options. */
const GENERAL = /^(?:`…` (?:of …|… …) |… requires `…`)/;

/** Returns the messages about the options in the tables that `optionTable()` creates, with the node of each. */
function* readOptionTables() {
  for (const call of callsByName.get('optionTable') ?? []) {
    const [owner = '…'] = textsOf(call.arguments[0]);
    const rows = resolve(call.arguments[1]).flatMap(({ node }) => node.properties ?? []);
    for (const { key, value } of rows.filter(({ key: name }) => name)) {
      const row = Object.fromEntries((value.properties ?? []).map((one) => [one.key?.name, one.value]));
      for (const text of textsOf(row.required, [], 1)) yield [`${owner} requires \`${key.name}\`: ${text}`, call];
      const preposition = owner.includes('` of ') ? 'in' : 'of';
      const subject = `\`${key.name}\` ${preposition} ${owner} `;
      if (row.check?.callee?.name === 'oneOfTexts') {
        const choices = row.check.arguments.map(({ value: choice }) => `'${choice}'`).join(' or ');
        yield [`${subject}must be ${choices}. Got …`, call];
        continue;
      }
      const checks = resolve(row.check).filter(({ node }) => FUNCTION.test(node.type));
      for (const { node, calls } of checks)
        for (const text of returnsOf(node).flatMap((one) => textsOf(one, calls, 1)))
          if (SUBJECT.test(text)) yield [text.replace(SUBJECT, subject), call];
    }
  }
}

/** Returns the messages about the configuration, with the file of each. */
export function readConfigurationErrors() {
  const found = new Map();
  const add = (text, node) => {
    const message = text.replace(/^Invalid argument: /, '');
    if (message.split(' ').length > 3) found.set(message, node.module.path);
  };
  for (const call of nodesOf('CallExpression')) {
    const at = { assertConfig: 1, configurationError: 0 }[call.callee.name];
    if (at !== undefined) for (const text of textsOf(call.arguments[at], [], 1)) add(text, call);
  }
  for (const node of nodesOf('NewExpression')) {
    if (node.callee.name === 'InvalidArgumentError')
      for (const text of textsOf(node.arguments[0], [], 1)) add(text, node);
  }
  readsNumbers = true;
  for (const [text, node] of readOptionTables()) add(text, node);
  readsNumbers = false;
  const results = [
    ...[...nodesOf('YieldExpression'), ...nodesOf('ReturnStatement')].map(
      ({ delegate, argument }) => !delegate && argument,
    ),
    ...nodesOf('ArrowFunctionExpression').map(({ body }) => body.type !== 'BlockStatement' && body),
  ];
  for (const node of results.filter((one) => one && !FINDINGS.test(one.module.path)))
    for (const text of textsOf(node, [], 1)) if (CONFIGURATION.test(text) && !GENERAL.test(text)) add(text, node);
  return [...found].map(([message, path]) => ({ message, path }));
}

/** Whether the source contains the parts of a text between `…`. Used for texts that no rule above finds. */
export function hasFragments(text) {
  const sources = [...modules.values()].map(({ code }) => code.replaceAll('\\', ''));
  return text.split('…').every((part) => sources.some((source) => source.includes(part)));
}
