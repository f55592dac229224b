import type { Parameters } from '../http/parameters.js';
import { isVSCHAR } from '../http/syntax.js';

/** Characters of a list that are read, and values of it. */
const LONGEST = 1000;
const MOST = 20;

/** A parameter that is a list, separated by spaces; none: it is left out. OpenID Connect Core §3.1.2.1 */
export function listParameter(parameters: Parameters, name: string): readonly string[] {
  const text = parameters.optional(name, (value) => value.length <= LONGEST && isVSCHAR(value));
  return text === undefined ? [] : text.split(' ').filter(Boolean).slice(0, MOST);
}
