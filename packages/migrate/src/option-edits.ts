import type * as t from '@babel/types';

import { indentAt, lineBreakOf } from './edits.js';
import { replace, type Source } from './source.js';
import { endOf, nameOf, startOf } from './syntax.js';

/** Returns the property of an object literal with this name. */
export const propertyOf = ({ properties }: t.ObjectExpression, name: string) =>
  properties.find((one) => one.type !== 'SpreadElement' && !one.computed && nameOf(one.key) === name);

/** Whether an object literal contains other objects, whose properties are unknown: `{ ...options }`. */
export const hasSpread = ({ properties }: t.ObjectExpression): boolean =>
  properties.some((one) => one.type === 'SpreadElement');

/** Adds properties at the end of an object literal, in the layout of its last property. Comments stay in place. */
export function addProperties(source: Source, object: t.ObjectExpression, properties: readonly string[]): void {
  const { text } = source;
  const last = object.properties.at(-1);
  if (properties.length === 0) return;
  if (!last) return replace(source, startOf(object), endOf(object), `{ ${properties.join(', ')} }`);
  const [end, close] = [endOf(last), endOf(object) - 1];
  const rest = text.slice(end, close);
  const line = /^(,?)((?:[ \t]*(?:\/\/[^\n\r]*|\/\*[^\n\r]*?\*\/))?[ \t]*)(?=\r?\n)/.exec(rest);
  if (!line) return replace(source, end, end, properties.map((one) => `, ${one}`).join(''));
  const [, comma, comment] = line;
  const separator = `${lineBreakOf(text)}${indentAt(text, startOf(last))}`;
  if (!comma) replace(source, end, end, ',');
  const after = end + comma!.length + comment!.length;
  const trailing = comma === '' ? '' : ',';
  replace(source, after, after, `${separator}${properties.join(`,${separator}`)}${trailing}`);
}
