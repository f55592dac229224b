import { ServerError, toOAuthError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Handler } from '../contracts/handler.js';
import { keepRecent } from '../crypto/lru.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import { respondWithError } from './operation.js';
import { type Options, resolveOptions } from '../options/resolve-options.js';
import { REQUIREMENT_NAMES } from '../options/token-requirements.js';

/**
 * Maximum number of cached operations. The oldest is dropped first: clients can cause any combination of the scopes of functions in
 * `@Scopes()`, and must not be able to fill the cache for good.
 */
const MAX_CACHED = 1000;

/**
 * The operations of one kind, by the options of a call. Operations are stored for calls without options, for a scope alone, and for
 * constant options, as `OAuthGuard` has them: to settle the options for each call was a quarter of the time of `authenticate`.
 */
export class OperationCache<O> {
  private readonly operations = new Map<string | undefined, O>();
  private readonly constantOperations = new WeakMap<object, O>();

  constructor(
    private readonly make: (options: Options) => O,
    private readonly server: ServerContext,
  ) {}

  /** The operation for a call with these options. @throws OAuthError, answered, when they or the model will not do */
  operationFor(options: object | undefined, response: Response): O {
    try {
      return this.find(options);
    } catch (error) {
      throw respondWithError(response, toOAuthError(error));
    }
  }

  /** Runs one; nothing throws synchronously. */
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
    if (options && scope === undefined) return this.constantOperations.get(options) ?? this.makeFor(options);
    let operation = this.operations.get(scope);
    if (!operation) {
      // Made from the scope alone: other properties of the caller's object are not part of its key.
      operation = this.make(scope === undefined ? settled : resolveOptions(settled, { scope } as object));
      keepRecent(this.operations, scope, operation, MAX_CACHED);
    }
    return operation;
  }

  /** Makes the operation for the options of a call, and stores it if they are constant. */
  private makeFor(options: object): O {
    const made = this.make(this.mergeOptions(options));
    if (isConstant(options)) this.constantOperations.set(options, made);
    return made;
  }

  /**
   * Merges the options of a call with those of the server.
   * @throws {ServerError} If a feature of the server, such as a profile, does not allow them.
   */
  private mergeOptions(options: object): Options {
    const { server } = this;
    const settled = resolveOptions(server.options, options);
    // Requirements count even if they are inherited or hidden, as getters of a class are: without them, more tokens would be accepted.
    for (const name of REQUIREMENT_NAMES) {
      const value = (options as Record<string, unknown>)[name];
      if (value !== undefined) Object.assign(settled, { [name]: value });
    }
    for (const { parts } of server.installed) {
      for (const fault of parts.callMisconfigurations?.(settled) ?? []) throw new ServerError(`Server error: ${fault}`);
    }
    return settled;
  }
}

/** The scope of options that say nothing else. */
function onlyScope(options: { scope?: unknown }): string | undefined {
  if (typeof options.scope !== 'string') return undefined;
  for (const name in options) if (name !== 'scope') return undefined;
  return options.scope;
}

/** Maximum depth of constant options: `stepUp` contains the list `acr`. */
const MAX_DEPTH = 3;

/** Whether an object and all objects inside it are frozen, so that an operation made of it is valid for later calls. */
function isConstant(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return depth < MAX_DEPTH && typeof value !== 'function';
  if (depth === 0 || !Object.isFrozen(value) || !isPlain(value)) return false;
  // A getter may return something else each time.
  const properties = Object.values(Object.getOwnPropertyDescriptors(value));
  return properties.every((property) => 'value' in property && isConstant(property.value, depth - 1));
}

/** Whether the object is a list or a plain object. The content of others, such as a `Date`, changes even if they are frozen. */
const isPlain = (value: object) =>
  [Array.prototype, Object.prototype, null].includes(Object.getPrototypeOf(value) as never);
