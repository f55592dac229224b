import { InvalidArgumentError } from '../errors.js';
import type { Model, ModelMethod } from './model.js';

/** What the methods of a 2.x model are called now. */
const RENAMED: Partial<Record<ModelMethod, string>> = {
  getAuthorizationCode: 'getAuthCode',
  saveAuthorizationCode: 'saveAuthCode',
  saveToken: 'saveAccessToken',
};

/** Checks that the model has what a feature needs. */
export function requireMethods(model: Model, methods: readonly ModelMethod[]): void {
  for (const name of methods) {
    if (typeof model[name] === 'function') continue;
    const old = RENAMED[name];
    const renamed = old !== undefined && old in model ? `; \`${old}()\` of 2.x is called so now` : '';
    throw new InvalidArgumentError(`Invalid argument: model does not implement \`${name}()\`${renamed}`);
  }
}
