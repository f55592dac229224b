import { assertConfig, MODEL_METHODS } from '../../lib/adapter/index.js';
import type { Model, ModelMethod } from '../../lib/index.js';
import { distance, nearestName } from './nearest-name.js';

/** Checks that what bears the name of a model method is one, and that no method is misspelt. */
export function checkMethods(model: Model): void {
  for (const name of MODEL_METHODS) {
    const isMethod = typeof model[name] === 'function';
    assertConfig(isMethod || (model[name] ?? undefined) === undefined, `the model's \`${name}\` must be a method`);
  }
  const missing = MODEL_METHODS.filter((name) => typeof model[name] !== 'function');
  for (const own of missing.length > 0 ? methodsOf(model) : []) {
    const alike = missing.filter((name) => isTypo(own, name));
    const fault = `the model's method \`${own}()\` looks like a misspelt \`${nearestName(own, alike)}()\``;
    assertConfig(alike.length === 0, `${fault}: rename it, to something less alike if it is your own`);
  }
}

/**
 * One or two letters are wrong. A host's own method is more than that: `setUser()` begins otherwise, and `getUsers()`
 * goes on where `getUser()` ends.
 */
function isTypo(own: string, name: ModelMethod): boolean {
  const first = own[0]?.toLowerCase();
  // Of a name so short, many a word is one letter away: `one()`, `ones()`.
  if (name === 'once') return false;
  if (own === name || first !== name[0] || own.startsWith(name)) return false;
  return Math.abs(own.length - name.length) <= 2 && distance(own, name) <= (name.length < 9 ? 1 : 2);
}

/** The names of all methods that are not everybody's; no getter is called to find them. */
function methodsOf(model: object): string[] {
  const names: string[] = [];
  for (let holder = model; holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder) as object) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
      if (typeof value === 'function') names.push(name);
    }
  }
  return names;
}
