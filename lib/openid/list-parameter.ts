import type { Parameters } from '../http/parameters.js';
import { isVSCHAR } from '../http/syntax.js';

/** Characters of a list that are read, and values of it. */
const MAX_LENGTH = 1000;
const MAX_VALUES = 20;

/** A parameter that is a list, separated by spaces; none: it is left out. OpenID Connect Core §3.1.2.1 */
export function listParameter(parameters: Parameters, name: string): readonly string[] {
  const text = parameters.optional(name, (value) => value.length <= MAX_LENGTH && isVSCHAR(value));
  return text === undefined ? [] : text.split(' ').filter(Boolean).slice(0, MAX_VALUES);
}
