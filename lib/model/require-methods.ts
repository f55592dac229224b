import { InvalidArgumentError } from '../errors.js';
import type { Model } from './model.js';

/** What methods were called in 2.x. */
const FORMERLY: Readonly<Record<string, string>> = {
  getAuthorizationCode: 'getAuthCode',
  revokeToken: 'revokeRefreshToken',
  saveAuthorizationCode: 'saveAuthCode',
  saveToken: 'saveAccessToken',
};

/** The name that this model, written for 2.x, has for a method; undefined when it has none. */
export function formerName(model: object, method: string): string | undefined {
  const old = Object.hasOwn(FORMERLY, method) ? FORMERLY[method] : undefined;
  return old !== undefined && typeof (model as Record<string, unknown>)[old] === 'function' ? old : undefined;
}

/** Checks that the model has what somebody needs: the feature that is named, if it is one. */
export function requireMethods(model: Model, methods: readonly string[], by?: string): void {
  for (const name of methods) {
    if (typeof (model as unknown as Record<string, unknown>)[name] === 'function') continue;
    const old = formerName(model, name);
    const renamed = old !== undefined ? `; \`${old}()\` of 2.x is called so now` : '';
    const needed = by === undefined ? '' : `, which ${by} needs`;
    throw new InvalidArgumentError(`Invalid argument: model does not implement \`${name}()\`${needed}${renamed}`);
  }
}
