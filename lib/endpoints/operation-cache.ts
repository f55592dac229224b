import { types } from 'node:util';
import { ServerError, toOAuthError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Handler } from '../contracts/handler.js';
import { keepRecent } from '../crypto/lru.js';
import type { Request } from '../http/request.js';
import { isScopeValue } from '../http/syntax.js';
import type { Response } from '../http/response.js';
import { respondWithError } from './operation.js';
import { copyComparable, RecentOptions } from './recent-options.js';
import { ENGINE_OPTIONS } from '../options/engine-options.js';
import { type Options, resolveOptions } from '../options/resolve-options.js';
import { hasFurtherRequirement, REQUIREMENT_NAMES, type TokenRequirements } from '../options/token-requirements.js';

/**
 * Maximum number of cached operations. The least recently used is removed first. Clients can cause any combination of
 * the scopes that functions in `@Scopes()` return, so they could otherwise fill the memory.
 */
const MAX_CACHED = 1000;

/**
 * A cache of the operations of one endpoint or method, by the options of a call. It stores operations for calls without
 * options, for a scope alone, for frozen options, as `OAuthGuard` passes them, and for recent options with the same
 * values. Merging options on each call took up to half of the time of `authenticate()`.
 */
export class OperationCache<O> {
  private readonly operations = new Map<string | undefined, O>();
  private readonly constantOperations = new WeakMap<object, O>();
  private readonly recent = new RecentOptions<O>();
  /** The options of the server under the names of all options. Created for the first call with options. */
  private allOptions: Options | undefined;
  /** The functions of features that validate the options of a call. Created together with `allOptions`. */
  private validators: readonly ((options: Options) => Iterable<string>)[] | undefined;

  constructor(
    private readonly make: (options: Options) => O,
    private readonly server: ServerContext,
  ) {}

  /**
   * Returns the operation for the options of a call.
   * @throws {OAuthError} If the options or the model are invalid. The error is also written to the response.
   */
  operationFor(options: object | undefined, response: Response): O {
    try {
      return this.find(options);
    } catch (error) {
      throw respondWithError(response, toOAuthError(error));
    }
  }

  /** Runs the operation for the options of a call. Errors reject the returned promise; none is thrown synchronously. */
  run(
    this: OperationCache<Handler>,
    options: object | undefined,
    request: Request,
    response: Response,
  ): Promise<unknown> {
    try {
      return this.operationFor(options, response).handle(request, response);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  private find(options: object | undefined): O {
    const { options: settled } = this.server;
    const scope = options && onlyScope(options);
    if (options && scope === undefined) {
      return this.constantOperations.get(options) ?? this.recent.find(options) ?? this.makeFor(options);
    }
    let operation = this.operations.get(scope);
    if (!operation) {
      // Use the scope alone: other properties of the caller's object are not part of the cache key.
      operation = this.make(scope === undefined ? settled : resolveOptions(settled, { scope } as object));
      keepRecent(this.operations, scope, operation, MAX_CACHED);
    }
    return operation;
  }

  /** Creates the operation for the options of a call, and stores it if later calls can use it. */
  private makeFor(options: object): O {
    if (isConstant(options)) {
      const made = this.make(this.mergeOptions(options));
      this.constantOperations.set(options, made);
      return made;
    }
    const copy = copyComparable(options);
    const made = this.make(this.mergeOptions(copy ?? options));
    if (copy) this.recent.remember(copy, made);
    return made;
  }

  /**
   * Merges the options of a call with those of the server.
   * @throws {ServerError} If an installed feature, such as a profile, does not allow the merged options.
   */
  private mergeOptions(options: object): Options {
    const { server } = this;
    // Adding a property to a copy takes V8 thirty times as long as setting one that is `undefined`.
    this.allOptions ??= { ...UNSET, ...server.options };
    const settled = resolveOptions(this.allOptions, options);
    // Read inherited and hidden properties too, such as getters of a class: a missed requirement would accept more
    // tokens.
    for (const name of REQUIREMENT_NAMES) {
      const value = (options as Record<string, unknown>)[name];
      if (value !== undefined) settled[name as keyof Options] = value as never;
    }
    this.validators ??= server.installed.flatMap(({ parts }) => parts.callMisconfigurations?.bind(parts) ?? []);
    for (const validate of this.validators) {
      for (const error of validate(settled)) throw new ServerError(`Server error: ${error}`);
    }
    return settled;
  }
}

/** All options that a call can set, as `undefined`. */
const UNSET = Object.fromEntries(
  [...Object.keys(ENGINE_OPTIONS), ...REQUIREMENT_NAMES].map((name) => [name, undefined]),
);

/**
 * Returns the scope as text, if the options contain only a scope, as text or as a list of values. Otherwise
 * `undefined`. Requirements are read by name, because a loop does not find getters of a class.
 */
function onlyScope(options: { readonly scope?: unknown } & TokenRequirements): string | undefined {
  const { scope } = options;
  if (typeof scope !== 'string' && !isValueList(scope)) return undefined;
  for (const name in options) if (name !== 'scope') return undefined;
  if (hasFurtherRequirement(options)) return undefined;
  return typeof scope === 'string' ? scope : scope.join(' ');
}

/** Whether a scope is a list of values that are not empty, so that its text requires the same values. */
const isValueList = (scope: unknown): scope is readonly string[] =>
  Array.isArray(scope) && scope.length > 0 && scope.every((value) => typeof value === 'string' && isScopeValue(value));

/** Maximum depth of frozen options: `stepUp` contains the list `acr`. */
const MAX_DEPTH = 3;

/**
 * Whether an object and all objects inside it are frozen, plain and without getters, so that an operation created for
 * it is valid for later calls.
 */
function isConstant(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return depth < MAX_DEPTH && typeof value !== 'function';
  // A proxy may return another value on each call, even if it is frozen.
  if (depth === 0 || types.isProxy(value) || !Object.isFrozen(value) || !isPlain(value)) return false;
  // A getter may return another value on each call.
  const properties = Object.values(Object.getOwnPropertyDescriptors(value));
  return properties.every((property) => 'value' in property && isConstant(property.value, depth - 1));
}

/**
 * Whether the object is a list or a plain object. The content of other objects, such as a `Date`, can change even if
 * they are frozen.
 */
const isPlain = (value: object) =>
  [Array.prototype, Object.prototype, null].includes(Object.getPrototypeOf(value) as never);
