import { InvalidArgumentError } from '../errors/index.js';
import type { Model } from './model.js';

/** The 2.x names of methods. */
const FORMERLY: Readonly<Record<string, string>> = {
  getAuthorizationCode: 'getAuthCode',
  revokeToken: 'revokeRefreshToken',
  saveAuthorizationCode: 'saveAuthCode',
  saveToken: 'saveAccessToken',
};

/** Returns the 2.x name under which the model has a method; `undefined` if it has none. */
function formerName(model: object, method: string): string | undefined {
  const old = Object.hasOwn(FORMERLY, method) ? FORMERLY[method] : undefined;
  return old !== undefined && typeof (model as Record<string, unknown>)[old] === 'function' ? old : undefined;
}

/** Model methods that one feature or option needs. */
export interface MethodRequirement {
  /** The feature or option, as an error message names it: `` the feature `revocation()` ``. */
  readonly neededBy: string;
  readonly methods: readonly string[];
  /** How to do without these methods: `leave it out of \`features\``. */
  readonly alternative: string;
}

/** Whether the model has no method of this name. */
export const lacks = (model: object, method: string): boolean =>
  typeof (model as Record<string, unknown>)[method] !== 'function';

/** Returns an error message that lists all missing methods, grouped by what needs them; `undefined` if none is missing. */
export function findMissingMethods(model: object, requirements: readonly MethodRequirement[]): string | undefined {
  const missing = requirements
    .map((one) => ({ ...one, methods: one.methods.filter((method) => lacks(model, method)) }))
    .filter(({ methods }) => methods.length > 0);
  const lines = missing.map(({ methods, neededBy, alternative }) => {
    const them = methods.length > 1 ? 'them' : 'it';
    const names = methods.map((method) => nameOf(model, method)).join(', ');
    return `${names}, which ${neededBy} needs: implement ${them}, or ${alternative}`;
  });
  if (lines.length < 2) return lines[0] && `the model lacks ${lines[0]}`;
  return `the model lacks methods:\n${lines.map((line) => `  - ${line}`).join('\n')}`;
}

/** Returns the name of a missing method, with the 2.x name under which the model has it. */
function nameOf(model: object, method: string): string {
  const old = formerName(model, method);
  return old === undefined ? `\`${method}()\`` : `\`${method}()\` (rename \`${old}()\` of 2.x)`;
}

/**
 * Checks that the model has the methods of an operation.
 * @throws {InvalidArgumentError} With the name of the first missing method.
 */
export function requireMethods(model: Model, methods: readonly string[]): void {
  const name = methods.find((method) => lacks(model, method));
  if (name === undefined) return;
  const old = formerName(model, name);
  const renamed = old !== undefined ? `; \`${old}()\` of 2.x is called so now` : '';
  throw new InvalidArgumentError(`Invalid argument: model does not implement \`${name}()\`${renamed}`);
}
