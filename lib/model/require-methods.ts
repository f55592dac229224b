import { InvalidArgumentError } from '../errors/index.js';
import type { Model } from './model.js';

/** The method names of version 2.x, by their current names. */
const FORMERLY: Readonly<Record<string, string>> = {
  getAuthorizationCode: 'getAuthCode',
  revokeToken: 'revokeRefreshToken',
  saveAuthorizationCode: 'saveAuthCode',
  saveToken: 'saveAccessToken',
};

/**
 * Returns the name that the method had in version 2.x, if the model has a method of that name. Otherwise `undefined`.
 */
function formerName(model: object, method: string): string | undefined {
  const old = Object.hasOwn(FORMERLY, method) ? FORMERLY[method] : undefined;
  return old !== undefined && typeof (model as Record<string, unknown>)[old] === 'function' ? old : undefined;
}

/** The model methods that a feature or an option needs. */
export interface MethodRequirement {
  /** The feature or option that needs the methods, for the error message, such as `` the feature `revocation()` ``. */
  readonly neededBy: string;
  readonly methods: readonly string[];
  /** The alternative to implementing the methods, such as `leave it out of \`features\``. */
  readonly alternative: string;
}

/** Whether the model does not implement a method. */
export const lacks = (model: object, method: string): boolean =>
  typeof (model as Record<string, unknown>)[method] !== 'function';

/**
 * Returns an error message that lists all missing methods, grouped by feature or option. `undefined` if no method is
 * missing.
 */
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

/**
 * Returns the name of a missing method for an error message. If the model has a method with its name of version 2.x,
 * the message suggests to rename it.
 */
function nameOf(model: object, method: string): string {
  const old = formerName(model, method);
  return old === undefined ? `\`${method}()\`` : `\`${method}()\` (rename \`${old}()\` of 2.x)`;
}

/**
 * Verifies that the model implements the given methods.
 * @throws {InvalidArgumentError} With the name of the first missing method.
 */
export function requireMethods(model: Model, methods: readonly string[]): void {
  const name = methods.find((method) => lacks(model, method));
  if (name === undefined) return;
  const old = formerName(model, name);
  const renamed = old !== undefined ? `; rename \`${old}()\` of version 2.x` : '';
  throw new InvalidArgumentError(`Invalid argument: model does not implement \`${name}()\`${renamed}`);
}
