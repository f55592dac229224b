import { isThenable, runCoroutine } from './coroutine.js';
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
/** The names of all methods that a model may have. */
export const MODEL_METHODS = Object.keys(ARITY) as readonly ModelMethod[];

function arityOf(name: ModelMethod, method: unknown): number {
  return name === 'getUser' && takesClient(method) ? 3 : ARITY[name];
}

/** Is the third parameter of a `getUser` the client, as in 5.x? Its name tells where the author gave it one. */
function takesClient(method: unknown): boolean {
  if (typeof method !== 'function') return false;
  const [, third = ''] = /^[^(]*\([^,()]*,[^,()]*,\s*([^,()]*)/.exec(Function.prototype.toString.call(method)) ?? [];
  return third.startsWith('{') || (/client/i.test(third) && !/callback|cb$|done|next/i.test(third));
}

const adaptedModels = new WeakMap<object, Model>();

/**
 * The model as the engine calls it: every method answers by a value or a promise.
 * A model written that way already is returned as it is; one of 3.x, with generators or Node callbacks, is wrapped, once.
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
  // Not a proxy of the model itself: of a frozen object, nothing but its own methods may be answered.
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

/** Calls a method of any style on a host's object that is not the model. */
export function callMethod<T extends object, K extends keyof T>(
  target: T,
  name: K,
  args: unknown[],
): T[K] extends (...args: never[]) => infer R ? R : never {
  const method = target[name] as AnyFunction;
  const call = adapterFor(method, args.length);
  return (call ? call(target, args) : method.apply(target, args)) as never;
}

/** A method of a wrapped model. What is not of the interface, or is given a callback already, is the host's own call. */
function adaptMethod(model: Model, key: PropertyKey, value: AnyFunction): AnyFunction {
  const arity = Object.hasOwn(ARITY, key) ? arityOf(key as ModelMethod, value) : Infinity;
  const call = Number.isFinite(arity) ? adapterFor(value, arity) : undefined;
  return (...args) => {
    const isCallbackGiven = args.length > arity && typeof args.at(-1) === 'function';
    return call && !isCallbackGiven ? call(model, args) : value.apply(model, args);
  };
}

type Call = (host: object, args: unknown[]) => unknown;

/** How to call a function that does not answer by a value or a promise; undefined for one that does. */
function adapterFor(method: unknown, arity: number): Call | undefined {
  if (typeof method !== 'function') return undefined;
  const tag = (method as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  if (tag === 'GeneratorFunction') {
    return (host, args) => runCoroutine((method as (...args: unknown[]) => Generator).apply(host, args));
  }
  // An async function answers by its promise, whatever further parameters it declares.
  if (tag === 'AsyncFunction' || method.length <= arity) return undefined;
  return (host, args) => callWithCallback(host, method as AnyFunction, args, arity);
}

function callWithCallback(host: object, method: AnyFunction, args: unknown[], arity: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const callback = (error: unknown, value?: unknown) => (error ? reject(error) : resolve(value));
    const given = Array.from({ length: Math.max(arity, args.length) }, (_, index) => args[index]);
    if (method.length > given.length) given.push(callback);
    else given[arity] = callbackOrClient(callback, given[arity]);
    const answer = method.apply(host, given);
    if (isThenable(answer)) answer.then(resolve, reject);
  });
}

/**
 * The third parameter of `getUser` is a callback in 3.x and the client in later versions. Where its name does not tell
 * which, it is a function that reads like the client.
 */
function callbackOrClient(callback: AnyFunction, client: unknown): unknown {
  if (typeof client !== 'object' || client === null) return callback;
  return new Proxy(callback, {
    get: (target, key) => Reflect.get(key in client ? client : target, key),
    has: (target, key) => key in client || key in target,
  });
}
