import { isThenable, run } from './coroutine.js';
import type { Model, ModelMethod } from './model.js';

type AnyFunction = (...args: unknown[]) => unknown;

/** How many arguments each method is given: a method that declares more awaits a Node callback. */
const ARITY: Readonly<Record<ModelMethod, number>> = {
  generateAccessToken: 3,
  generateAuthorizationCode: 3,
  generateRefreshToken: 3,
  getAccessToken: 1,
  getAuthorizationCode: 1,
  getClient: 2,
  getRefreshToken: 1,
  getUser: 2,
  getUserFromClient: 1,
  revokeAuthorizationCode: 1,
  revokeGrant: 1,
  revokeToken: 1,
  saveAuthorizationCode: 3,
  saveToken: 3,
  validateRedirectUri: 2,
  validateScope: 3,
  verifyScope: 2,
};
const METHODS = Object.keys(ARITY) as ModelMethod[];

const adapted = new WeakMap<object, Model>();

/**
 * The model as the engine calls it: every method answers by a value or a promise.
 * A model written that way already is returned as it is; one of 3.x, with generators or Node callbacks, is wrapped, once.
 */
export function adaptModel(model: Model): Model {
  let result = adapted.get(model);
  if (!result) {
    result = METHODS.some((name) => adapter(model[name], ARITY[name])) ? wrap(model) : model;
    adapted.set(model, result);
  }
  return result;
}

function wrap(model: Model): Model {
  const made = new Map<unknown, AnyFunction>();
  return new Proxy(model, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function' || key === 'constructor') return value;
      let method = made.get(value);
      if (!method) {
        const call = adapter(value, ARITY[key as ModelMethod]);
        method = call ? (...args) => call(target, args) : (...args) => (value as AnyFunction).apply(target, args);
        made.set(value, method);
      }
      return method;
    },
  });
}

/** Calls a method of any style on a host's object that is not the model. */
export function callMethod<T extends object, K extends keyof T>(
  host: T,
  name: K,
  args: unknown[],
): T[K] extends (...args: never[]) => infer R ? R : never {
  const method = host[name] as AnyFunction;
  const call = adapter(method, args.length);
  return (call ? call(host, args) : method.apply(host, args)) as never;
}

type Call = (host: object, args: unknown[]) => unknown;

/** How to call a function that does not answer by a value or a promise; undefined for one that does. */
function adapter(method: unknown, arity: number | undefined): Call | undefined {
  if (typeof method !== 'function') return undefined;
  const tag = Object.prototype.toString.call(method);
  if (tag === '[object GeneratorFunction]') {
    return (host, args) => run((method as (...args: unknown[]) => Generator).apply(host, args));
  }
  // An async function answers by its promise, whatever further parameters it declares.
  if (tag === '[object AsyncFunction]' || arity === undefined || method.length <= arity) return undefined;
  return (host, args) => callWithCallback(host, method as AnyFunction, args, arity);
}

function callWithCallback(host: object, method: AnyFunction, args: unknown[], arity: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const callback = (error: unknown, value?: unknown) => (error ? reject(error) : resolve(value));
    const given = Array.from({ length: Math.max(arity, args.length) }, (_, index) => args[index]);
    if (method.length > given.length) given.push(callback);
    else given[arity] = both(callback, given[arity]);
    const answer = method.apply(host, given);
    if (isThenable(answer)) answer.then(resolve, reject);
  });
}

/**
 * The third parameter of `getUser` is a callback in 3.x and the client in later versions, and nothing tells which one
 * a plain function means: so it gets a function that reads like the client.
 */
function both(callback: AnyFunction, client: unknown): unknown {
  if (typeof client !== 'object' || client === null) return callback;
  return new Proxy(callback, {
    get: (target, key) => Reflect.get(key in client ? client : target, key),
    has: (target, key) => key in client || key in target,
  });
}
