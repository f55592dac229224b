import { assertConfig, MODEL_METHODS, distance, nearestName } from '../../lib/internal.js';
import type { Model, ModelMethod } from '../../lib/index.js';

/**
 * Verifies that each model method is a function, and that no method name of the model is misspelled.
 * @throws {InvalidArgumentError} If a model method is not a function or a name is misspelled.
 */
export function checkMethods(model: Model): void {
  for (const name of MODEL_METHODS) {
    const isMethod = typeof model[name] === 'function';
    assertConfig(isMethod || (model[name] ?? undefined) === undefined, `the model's \`${name}\` must be a method`);
  }
  const missing = MODEL_METHODS.filter((name) => typeof model[name] !== 'function');
  for (const method of missing.length > 0 ? methodsOf(model) : []) {
    const alike = missing.filter((name) => isTypo(method, name));
    const problem = `the model's method \`${method}()\` looks like a misspelled \`${nearestName(method, alike)}()\``;
    assertConfig(
      alike.length === 0,
      `${problem}: correct its name, or choose a more distinct name if it is your own method`,
    );
  }
}

/**
 * Whether a method name looks like a misspelled model method: it differs by one letter, or by at most two if the model
 * method has nine letters or more. A method with a different first letter (`setUser()`) or a longer name with the same
 * beginning (`getUsers()`) belongs to the application.
 */
function isTypo(method: string, name: ModelMethod): boolean {
  const first = method[0]?.toLowerCase();
  // Many ordinary words differ from `once` by one letter, such as `one()` and `ones()`.
  if (name === 'once') return false;
  if (method === name || first !== name[0] || method.startsWith(name)) return false;
  return Math.abs(method.length - name.length) <= 2 && distance(method, name) <= (name.length < 9 ? 1 : 2);
}

/** Returns the names of all methods of an object, except those of `Object.prototype`. It calls no getters. */
function methodsOf(model: object): string[] {
  const names: string[] = [];
  for (let holder = model; holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder) as object) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
      if (typeof value === 'function') names.push(name);
    }
  }
  return names;
}
