import type { ServerContext } from '../../contracts/feature.js';
import { keepRecent } from '../../crypto/lru.js';
import { toOAuthError } from '../../errors/index.js';
import { isObject } from '../../http/is-object.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { Token } from '../../model/model.js';
import type { AuthenticateOptions, OAuth2ServerOptions } from '../../options/options.js';
import type { CallOptions } from '../call-options.js';
import { respondWithError } from '../operation.js';
import { type AuthenticateOperation, resourceOperation } from './authenticate.js';

/** Maximum number of scopes for which operations are stored. Functions in `@Scopes()` can return any combination. */
const MAX_SCOPES = 1000;
/** Maximum number of stored operations with the same scope. A call compares its options with each of them. */
const MAX_PER_SCOPE = 32;

/** The options of a call of `authenticate()`. The last three are server options, which a call can set as well. */
type GivenOptions = AuthenticateOptions & Partial<Pick<OAuth2ServerOptions, 'events' | 'model' | 'scopeFormat'>>;

/** The options on which an operation of `authenticate()` depends, in the order of `valuesOf()`. */
const NAMES = [
  'anyScope',
  'userRequired',
  'roles',
  'scope',
  'addAcceptedScopesHeader',
  'addAuthorizedScopesHeader',
  'allowBearerTokensInQueryString',
  'events',
  'model',
  'scopeFormat',
  'personalTokens',
  'stepUp',
] as const satisfies readonly (keyof GivenOptions)[];

/**
 * Returns the values of the options of a call, and those inside `stepUp`. They are read by name, so that a hidden or
 * inherited requirement counts too. A loop over `NAMES` would take five times as long.
 */
const valuesOf = (given: GivenOptions): readonly unknown[] => [
  given.anyScope,
  given.userRequired,
  given.roles,
  given.scope,
  given.addAcceptedScopesHeader,
  given.addAuthorizedScopesHeader,
  given.allowBearerTokensInQueryString,
  given.events,
  given.model,
  given.scopeFormat,
  given.personalTokens,
  given.stepUp,
  given.stepUp?.acr,
  given.stepUp?.maxAge,
];

/** An operation, and copies of the values that it was created from. */
interface StoredOperation {
  readonly values: readonly unknown[];
  readonly operation: AuthenticateOperation;
}

/**
 * The operations of `authenticate()` of a server. An operation is created from the values of a call's options, and
 * reused by calls with the same values: most calls pass the same few options, and merging them takes longer than the
 * verification of a token.
 */
export class AccessOperations {
  private withoutOptions: AuthenticateOperation | undefined;
  private readonly stored = new Map<string | undefined, StoredOperation[]>();

  constructor(
    private readonly server: ServerContext,
    private readonly callOptions: CallOptions,
  ) {}

  /**
   * Authenticates a request. Errors reject the returned promise; none is thrown synchronously. If the options are
   * invalid, the error is also written to the response.
   */
  run(options: object | undefined, request: Request, response: Response): Promise<Token> {
    try {
      return this.operationFor(options).handle(request, response);
    } catch (error) {
      return Promise.reject(respondWithError(response, toOAuthError(error)));
    }
  }

  private operationFor(options: GivenOptions | undefined): AuthenticateOperation {
    if (!options) return (this.withoutOptions ??= resourceOperation(this.server.options, this.server));
    const values = valuesOf(options);
    const scope = typeof options.scope === 'string' ? options.scope : undefined;
    const stored = this.stored.get(scope) ?? [];
    for (const one of stored) if (isSame(values, one.values)) return one.operation;
    const created = this.create(values);
    if (stored.length === MAX_PER_SCOPE) stored.shift();
    stored.push(created);
    keepRecent(this.stored, scope, stored, MAX_SCOPES);
    return created.operation;
  }

  private create(given: readonly unknown[]): StoredOperation {
    // The caller can change its lists later.
    const values = given.map((value) => (Array.isArray(value) ? copyOf(value) : value));
    const options = Object.fromEntries(NAMES.map((name, index) => [name, values[index]]));
    const [stepUp, acr, maxAge] = values.slice(NAMES.length - 1);
    if (isObject(stepUp)) options['stepUp'] = { ...stepUp, acr, maxAge };
    return { values, operation: resourceOperation(this.callOptions.merge(options), this.server) };
  }
}

const isSame = (values: readonly unknown[], known: readonly unknown[]): boolean =>
  values.every((value, index) => value === known[index] || isSameList(value, known[index]));

const isSameList = (value: unknown, known: unknown): boolean =>
  Array.isArray(value) &&
  Array.isArray(known) &&
  value.length === known.length &&
  known.every((one, index) => typeof one === 'string' && one === value[index]);

/** Copies a list by index, as `isSameList()` reads it. A derived class could iterate over other elements. */
const copyOf = (list: readonly unknown[]) => Array.from({ length: list.length }, (_, index) => list[index]);
