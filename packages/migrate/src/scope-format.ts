import type * as t from '@babel/types';

import { memberOf, type ServerClass } from './engine-imports.js';
import { GUIDE } from './guide.js';
import { addProperties, hasSpread, propertyOf } from './option-edits.js';
import { objectOf } from './engine-requires.js';
import { note, type Source } from './source.js';
import { referencesTo, startOf } from './syntax.js';

/** The option that keeps scopes as arrays. Its quotes are those of the file. */
export const scopeFormat = (source: Source): string =>
  source.text.includes("'") ? "scopeFormat: 'array'" : 'scopeFormat: "array"';

/** Adds `scopeFormat: 'array'` where the file constructs the class, or tells where it cannot be added. */
export function keepArrayScopes(source: Source, server: ServerClass): void {
  const { uses, isShadowed } = referencesTo(server.name, source.nodes, server.declaration);
  for (const { node, parents } of uses) {
    const parent = parents[0]!;
    const isMember = ['MemberExpression', 'TSQualifiedName'].includes(parent.type);
    const member = memberOf(node, parent);
    const isServer = member === 'OAuth2Server' || (server.isNamespace && member === 'default');
    if (isMember ? !isServer : server.isNamespace) continue;
    const [value, user] = isMember ? [parent, parents[1]!] : [node, parent];
    if (user.type === 'NewExpression' && user.callee === value) {
      if (isShadowed)
        note(source, startOf(user), 'check', `The name \`${server.name}\` is declared twice.`, GUIDE.version5);
      else constructWithArrays(source, user);
    } else if (isValue(user))
      note(
        source,
        startOf(node),
        'check',
        "Where this class is constructed, set `scopeFormat: 'array'`.",
        GUIDE.version5,
      );
  }
}

/** Whether the user of an identifier takes it as a value, not as a type or for a comparison. */
const isValue = (user: t.Node) =>
  !user.type.startsWith('TS') && !(user.type === 'BinaryExpression' && user.operator === 'instanceof');

/** Adds `scopeFormat: 'array'` to the options of a construction. */
export function constructWithArrays(source: Source, construction: t.NewExpression): void {
  const [options] = construction.arguments;
  const object = options && objectOf(options);
  if (object && propertyOf(object, 'scopeFormat')) return;
  if (object && options === object && !hasSpread(object)) return addProperties(source, object, [scopeFormat(source)]);
  note(source, startOf(construction), 'check', "The options must contain `scopeFormat: 'array'`.", GUIDE.version5);
}
