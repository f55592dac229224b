import type * as t from '@babel/types';

import { indentAt, lineBreakOf } from './edits.js';
import { objectOf } from './engine-requires.js';
import { hasSpread } from './option-edits.js';
import type { Source } from './source.js';
import { isInside, literalText, nameOf, startOf, type Visited } from './syntax.js';

/** The replacement of a decorator. */
export interface Replacement {
  readonly text: string;
  /** The names that the replacement uses, of `nest-oauth2` and of `@nestjs/common`. */
  readonly names: readonly string[];
  readonly common: readonly string[];
}

/** The decorators that mark a route as an endpoint of the server. */
const ENDPOINTS = ['OAuth2Authorize', 'OAuth2RenewToken', 'OAuth2ServerAuthorize', 'OAuth2ServerToken'];
const GUARDS = ['OAuth2Authenticate', 'OAuth2ServerAuthenticate'];
/** The parameter of a route that takes the token and more. `OAuthGuard` does not set what it reads. */
const OAUTH = 'OAuth2ServerOAuth';
const TAKES_OAUTH = `The route takes \`@${OAUTH}()\`: take \`@AccessToken()\` for its \`token\`.`;

/**
 * Returns the replacement of a decorator of a wrapper, or the reason why there is none.
 * @param name the name that the wrapper exports.
 */
export function replacementOf(source: Source, name: string, use: Visited): Replacement | string {
  const call = use.parents[0]!;
  if (call.type.startsWith('TS')) return `The type \`${name}\` has no equivalent.`;
  if (call.type !== 'CallExpression' || call.callee !== use.node || use.parents[1]?.type !== 'Decorator')
    return `\`${name}\` is not used as a decorator.`;
  if (name === 'OAuth2Model') return { text: 'Injectable()', names: [], common: ['Injectable'] };
  if (GUARDS.includes(name))
    return takesOAuth(source, use.parents[2]!) ? TAKES_OAUTH : guardOf(source, call, use.parents[1]);
  if (name === OAUTH) return TAKES_OAUTH;
  if (name === 'OAuth2Token') return tokenOf(use);
  if (ENDPOINTS.includes(name)) return `The module adds this route: delete it${pathOf(name, use)}.`;
  return `\`@${name}()\` has no equivalent.`;
}

/** Whether a decorator marks an endpoint, and not a guarded route. */
export const isEndpoint = (name: string): boolean => ENDPOINTS.includes(name);

const takesOAuth = (source: Source, guarded: t.Node) =>
  source.nodes.some(({ node }) => node.type === 'Identifier' && node.name === OAUTH && isInside(node, guarded));

function guardOf(source: Source, { arguments: [options] }: t.CallExpression, decorator: t.Node): Replacement | string {
  const guard = { text: 'UseGuards(OAuthGuard)', names: ['OAuthGuard'], common: ['UseGuards'] };
  if (!options) return guard;
  const object = objectOf(options);
  const scopes = object && !hasSpread(object) ? scopesOf(object) : undefined;
  if (!scopes) return 'Only the option `scope` with strings has an equivalent: `@Scopes()`.';
  if (scopes.length === 0) return guard;
  const quote = source.text.includes("'") ? "'" : '"';
  const list = scopes.map((scope) => quote + scope + quote).join(', ');
  const separator = lineBreakOf(source.text) + indentAt(source.text, startOf(decorator));
  return { ...guard, text: `${guard.text}${separator}@Scopes(${list})`, names: ['OAuthGuard', 'Scopes'] };
}

function scopesOf({ properties }: t.ObjectExpression): string[] | undefined {
  if (properties.length === 0) return [];
  const only = properties[0]!;
  if (properties.length > 1 || only.type !== 'ObjectProperty' || nameOf(only.key) !== 'scope') return undefined;
  const { value } = only;
  const texts: (string | undefined)[] =
    value.type === 'ArrayExpression' ? value.elements.map(literalText) : [literalText(value)];
  const scopes = texts.flatMap((text) => text?.split(' ').filter(Boolean) ?? ['']);
  return scopes.every((scope) => /^[\x21\x23-\x26\x28-\x5b\x5d-\x7e]+$/.test(scope)) ? scopes : undefined;
}

/** `@OAuth2Token()` of a guarded route is `@AccessToken()`. At an endpoint it is the new token. */
function tokenOf({ parents }: Visited): Replacement | string {
  const method = parents.find(({ type }) => type === 'ClassMethod') as t.ClassMethod | undefined;
  const owner = parents.find(({ type }) => type === 'ClassDeclaration') as t.ClassDeclaration | undefined;
  const names = [...decoratorsOf(method), ...decoratorsOf(owner)].map(([name]) => name);
  if (names.some(isEndpoint)) return 'The module adds this route: delete it.';
  if (!names.some((name) => GUARDS.includes(name))) return 'The route has no guard in this file.';
  return { text: 'AccessToken()', names: ['AccessToken'], common: [] };
}

function decoratorsOf(node: t.ClassMethod | t.ClassDeclaration | undefined): [string, string | undefined][] {
  return (node?.decorators ?? []).flatMap(({ expression }) => {
    if (expression.type !== 'CallExpression') return [];
    const { callee, arguments: given } = expression;
    const path = given.length === 0 ? '' : literalText(given[0]);
    return callee.type === 'Identifier' ? [[callee.name, path] as [string, string | undefined]] : [];
  });
}

/** Returns the option that keeps the address of an endpoint, if the file tells it. */
function pathOf(name: string, { parents }: Visited): string {
  const method = parents.find(({ type }) => type === 'ClassMethod') as t.ClassMethod | undefined;
  const owner = parents.find(({ type }) => type === 'ClassDeclaration') as t.ClassDeclaration | undefined;
  const controller = decoratorsOf(owner).find(([one]) => one === 'Controller')?.[1];
  const route = decoratorsOf(method).find(([one]) => ['Get', 'Post', 'All'].includes(one))?.[1];
  if (controller === undefined || route === undefined) return ', and set `paths` to keep its address';
  const path = [controller, route].flatMap((part) => part.split('/').filter(Boolean)).join('/');
  const endpoint = name.endsWith('Authorize') ? 'authorize' : 'token';
  return `, and set \`paths: { ${endpoint}: '${path}' }\` to keep its address`;
}
