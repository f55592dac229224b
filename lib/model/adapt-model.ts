import { isThenable, runCoroutine } from './coroutine.js';
import type { Model, ModelMethod } from './model.js';

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * The number of arguments that each model method receives. A method that declares more parameters expects a Node-style
 * callback.
 */
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
  once: 2,
  redeem: 4,
  revokeAuthorizationCode: 1,
  revokeGrant: 1,
  revokeToken: 1,
  saveAuthorizationCode: 3,
  saveToken: 3,
  validateClientScope: 2,
  validateRedirectUri: 2,
  validateScope: 3,
  verifyScope: 2,
};
/** The names of all model methods. */
export const MODEL_METHODS = Object.keys(ARITY) as readonly ModelMethod[];

function arityOf(name: ModelMethod, method: unknown): number {
  return name === 'getUser' && takesClient(method) ? 3 : ARITY[name];
}

/**
 * Whether the third parameter of `getUser` is the client, as in version 5.x. The name or the destructuring pattern of
 * the parameter decides.
 */
function takesClient(method: unknown): boolean {
  if (typeof method !== 'function') return false;
  const [, third = ''] = /^[^(]*\([^,()]*,[^,()]*,\s*([^,()]*)/.exec(Function.prototype.toString.call(method)) ?? [];
  return third.startsWith('{') || (/client/i.test(third) && !/callback|cb$|done|next/i.test(third));
}

const adaptedModels = new WeakMap<object, Model>();

/**
 * Returns a model whose methods all return a value or a promise. A model with generators or Node-style callbacks, as in
 * version 3.x, is wrapped in a proxy, always the same one. Any other model is returned unchanged.
 */
export function adaptModel(model: Model): Model {
  let result = adaptedModels.get(model);
  if (!result) {
    result = MODEL_METHODS.some((name) => adapterFor(model[name], arityOf(name, model[name]))) ? wrap(model) : model;
    adaptedModels.set(model, result);
  }
  return result;
}

function wrap(model: Model): Model {
  const made = new Map<PropertyKey, { value: unknown; call: AnyFunction }>();
  // The proxy target is an empty object, because a proxy of a frozen model could not return wrapped methods.
  return new Proxy({} as Model, {
    get(_, key) {
      const value: unknown = Reflect.get(model, key, model);
      if (typeof value !== 'function' || key === 'constructor') return value;
      let method = made.get(key);
      if (method?.value !== value) {
        made.set(key, (method = { value, call: adaptMethod(model, key, value as AnyFunction) }));
      }
      return method.call;
    },
    has: (_, key) => key in model,
    set: (_, key, value) => Reflect.set(model, key, value, model),
    getPrototypeOf: () => Reflect.getPrototypeOf(model),
  });
}

/**
 * Calls a method of an object of the application, and returns its value or a promise. The method may return either, be
 * a generator, or expect a callback.
 */
export function callMethod<T extends object, K extends keyof T>(
  target: T,
  name: K,
  args: unknown[],
): T[K] extends (...args: never[]) => infer R ? R : never {
  const method = target[name] as AnyFunction;
  const call = adapterFor(method, args.length);
  return (call ? call(target, args) : method.apply(target, args)) as never;
}

/** Wraps a method of a model. Unknown methods, and calls that pass a callback, are forwarded unchanged. */
function adaptMethod(model: Model, key: PropertyKey, value: AnyFunction): AnyFunction {
  const arity = Object.hasOwn(ARITY, key) ? arityOf(key as ModelMethod, value) : Infinity;
  const call = Number.isFinite(arity) ? adapterFor(value, arity) : undefined;
  return (...args) => {
    const isCallbackGiven = args.length > arity && typeof args.at(-1) === 'function';
    return call && !isCallbackGiven ? call(model, args) : value.apply(model, args);
  };
}

type Call = (target: object, args: unknown[]) => unknown;

/**
 * Returns a function that calls the method, if the method is a generator function or expects a callback. `undefined`
 * for a function that returns a value or a promise.
 */
function adapterFor(method: unknown, arity: number): Call | undefined {
  if (typeof method !== 'function') return undefined;
  const tag = (method as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  if (tag === 'GeneratorFunction') {
    return (target, args) => runCoroutine((method as (...args: unknown[]) => Generator).apply(target, args));
  }
  // An async function returns a promise, even if it declares further parameters.
  if (tag === 'AsyncFunction' || method.length <= arity) return undefined;
  return (target, args) => callWithCallback(target, method as AnyFunction, args, arity);
}

function callWithCallback(target: object, method: AnyFunction, args: unknown[], arity: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const callback = (error: unknown, value?: unknown) => (error ? reject(error) : resolve(value));
    const callArgs = Array.from({ length: Math.max(arity, args.length) }, (_, index) => args[index]);
    if (method.length > callArgs.length) callArgs.push(callback);
    else callArgs[arity] = callbackOrClient(callback, callArgs[arity]);
    const result = method.apply(target, callArgs);
    if (isThenable(result)) result.then(resolve, reject);
  });
}

/**
 * Returns a callback that also has the properties of the client. The third parameter of `getUser` is a callback in
 * version 3.x and the client in later versions, and its name may not tell which.
 */
function callbackOrClient(callback: AnyFunction, client: unknown): unknown {
  if (typeof client !== 'object' || client === null) return callback;
  return new Proxy(callback, {
    get: (target, key) => Reflect.get(key in client ? client : target, key),
    has: (target, key) => key in client || key in target,
  });
}
