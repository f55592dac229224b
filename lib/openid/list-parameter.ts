import type { Parameters } from '../http/parameters.js';
import { isVSCHAR } from '../http/syntax.js';

/** Maximum number of characters of a list, and of its values. */
const MAX_LENGTH = 1000;
const MAX_VALUES = 20;

/**
 * Returns the values of a parameter that is a list separated by spaces. The list is empty if the parameter is omitted.
 * OpenID Connect Core §3.1.2.1
 */
export function listParameter(parameters: Parameters, name: string): readonly string[] {
  const text = parameters.optional(name, (value) => value.length <= MAX_LENGTH && isVSCHAR(value));
  return text === undefined ? [] : text.split(' ').filter(Boolean).slice(0, MAX_VALUES);
}
