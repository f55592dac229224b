import { InvalidScopeError } from '../errors/index.js';
import { optional, type ParameterLocation } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isScope } from '../http/syntax.js';
import type { CoreClient, Falsy, Model, Scope, User } from '../model/model.js';

const REFUSED = 'Invalid scope: Requested scope is invalid';

/** Returns the values of a scope. RFC 6749 §3.3 */
export function scopeValues(scope: Scope | null | undefined): readonly string[] {
  if (!scope) return [];
  return typeof scope === 'string' ? scope.split(' ') : scope;
}

/** Returns a scope as text, with its values separated by spaces. `undefined` if it has no values. */
export function scopeText(scope: unknown): string | undefined {
  if (typeof scope === 'string') return scope || undefined;
  return Array.isArray(scope) ? scope.join(' ') || undefined : undefined;
}

/** Whether `granted` contains every value of `required`. */
export function coversScope(granted: Scope | null | undefined, required: Scope): boolean {
  if (granted === required) return true;
  const values = scopeValues(granted);
  const requiredValues = scopeValues(required);
  // For fewer than four values, creating a set costs more than it saves. For large scopes, it avoids quadratic time.
  if (requiredValues.length < 4) return requiredValues.every((value) => values.includes(value));
  const known = new Set(values);
  return requiredValues.every((value) => known.has(value));
}

/** Returns the values of a scope that `limit` contains as well. `undefined` if there are no such values. */
export function withinScope(scope: Scope | null | undefined, limit: Scope | null | undefined): Scope | undefined {
  if (scope === limit) return limit ?? undefined;
  const known = new Set(scopeValues(limit));
  return scopeText(scopeValues(scope).filter((value) => known.has(value)));
}

/** Returns a scope in the form that the model expects, by the option `scopeFormat`. */
export function scopeForModel(scope: Scope | undefined, format: 'string' | 'array'): Scope | undefined {
  return format === 'array' ? scope && scopeValues(scope) : scopeText(scope);
}

/** Maximum number of values in a requested scope. */
const MAX_SCOPE_VALUES = 128;
/** Maximum length of a scope value in characters. */
export const MAX_SCOPE_VALUE_LENGTH = 256;
export const MAX_SCOPE_LENGTH = MAX_SCOPE_VALUES * (MAX_SCOPE_VALUE_LENGTH + 1);

/**
 * Reads the parameter `scope`. Extra spaces and repeated values are removed. The size is limited, because an
 * unauthenticated request may contain any scope.
 * @throws {InvalidScopeError} If the scope is invalid or too large.
 */
export function requestedScope(request: Request, locations?: readonly ParameterLocation[]): string | undefined {
  const scope = optional(request, 'scope', isValidScope, locations, InvalidScopeError);
  if (scope === undefined || (scope.length <= MAX_SCOPE_VALUE_LENGTH && !scope.includes(' '))) return scope;
  const values = [...new Set(scope.split(' '))].filter(Boolean);
  if (values.length > MAX_SCOPE_VALUES || values.some(({ length }) => length > MAX_SCOPE_VALUE_LENGTH))
    throw scopeTooLong();
  return values.join(' ') || undefined;
}

const scopeTooLong = () =>
  new InvalidScopeError(
    `Invalid scope: at most ${MAX_SCOPE_VALUES} values of ${MAX_SCOPE_VALUE_LENGTH} characters each are allowed`,
  );

const isValidScope = (scope: string) => scope.length <= MAX_SCOPE_LENGTH && isScope(scope);

const ALLOW_SCOPE = 'request only scopes that the client may have, or add the scope to `scopes` of the client';

/** Returns the scopes that a client may request, for the log. `undefined` if the client has no property `scopes`. */
const scopesOf = (client: CoreClient): unknown => (client as { scopes?: unknown }).scopes;

/** Returns a scope without those ignorable values that are not granted. */
export function withoutIgnorableScopes(
  scope: string | undefined,
  granted: Scope | null | undefined,
  ignorable: readonly string[] = [],
): string | undefined {
  const isKept = (value: string) => !ignorable.includes(value) || coversScope(granted, value);
  return ignorable.length === 0 ? scope : scopeText(scopeValues(scope).filter(isKept));
}

/**
 * Asks the model whether the client may request the scope. A model without `validateClientScope()` allows every scope.
 * @param ignorable Scope values that are removed if the client may not request them, such as `offline_access`. OpenID
 * Connect Core §11
 * @returns The scope without the removed values.
 * @throws {InvalidScopeError} If the client may not request the scope. RFC 6749 §3.3
 */
export async function verifyClientScope(
  { model, scopeFormat }: { model: Model; scopeFormat?: 'string' | 'array' },
  { client, scope }: { client: CoreClient; scope?: string },
  ignorable: readonly string[] = [],
): Promise<string | undefined> {
  if (!model.validateClientScope || scope === undefined) return scope;
  const isAllowed = (some: string) => model.validateClientScope!(client, scopeForModel(some, scopeFormat ?? 'string')!);
  if (await isAllowed(scope)) return scope;
  const kept: string[] = [];
  for (const value of scopeValues(scope)) {
    if (!ignorable.includes(value) || (await isAllowed(value))) kept.push(value);
  }
  const reduced = scopeText(kept);
  if (reduced !== scope && (reduced === undefined || (await isAllowed(reduced)))) return reduced;
  throw new InvalidScopeError(REFUSED).because({
    reason: 'client is not allowed to request the scope',
    expected: scopesOf(client),
    given: scope,
    remedy: ALLOW_SCOPE,
  });
}

/** The message for a request without `scope` if there is no default scope. RFC 6749 §3.3 */
export const SCOPE_MISSING = 'Missing parameter: `scope`';

/** The server options that `approveScope()` uses. */
export interface ScopeOptions {
  model: Model;
  scopeFormat?: 'string' | 'array';
  /** Scope values that are removed if they cannot be granted. Default: none. OpenID Connect Core §11 */
  ignorableScopes?: readonly string[];
  /** The scope values of a request without `scope` by a client that has no default scope. Default: none. */
  defaultScope?: readonly string[];
}

/**
 * Asks the model which part of the requested scope is granted. A model without `validateScope()` grants all of it.
 * @param isNeeded If `false`, the request may omit the scope, because it contains `authorization_details`.
 * RFC 9396 §3.1
 * @throws {InvalidScopeError} If the model grants none of it. RFC 6749 §3.3
 */
export function approveScope(
  options: ScopeOptions,
  { client, user, scope }: { client: CoreClient; user: User; scope?: Scope },
  isNeeded = true,
): Promise<string | undefined> {
  const requested = scopeText(scope);
  const reduced = withoutIgnorableScopes(requested, undefined, options.ignorableScopes);
  const approved = approveRequested(options, { client, user, requested }, isNeeded);
  if (reduced === requested) return approved;
  return approved.catch((error: unknown) => {
    if (!(error instanceof InvalidScopeError)) throw error;
    return approveRequested(options, { client, user, requested: reduced }, isNeeded);
  });
}

async function approveRequested(
  options: ScopeOptions,
  { client, user, requested }: { client: CoreClient; user: User; requested: string | undefined },
  isNeeded: boolean,
): Promise<string | undefined> {
  const { model, scopeFormat = 'string' } = options;
  if (!model.validateScope) return requested;
  const handed = scopeForModel(requested, scopeFormat);
  let granted: boolean | Scope | Falsy;
  try {
    granted = await model.validateScope(user, client, handed);
  } catch (error) {
    if (requested !== undefined || (error as Error)?.message !== SCOPE_MISSING) throw error;
    if (!isNeeded) return undefined;
    const meant = defaultScopeFor(client, options);
    if (meant === undefined) throw error;
    return await approveRequested(options, { client, user, requested: meant }, isNeeded);
  }
  if (!granted) {
    const detail = {
      reason: '`validateScope()` did not grant the scope',
      expected: scopesOf(client),
      given: requested,
      remedy: ALLOW_SCOPE,
    };
    throw new InvalidScopeError(REFUSED).because(detail);
  }
  return granted === true ? requested : scopeText(granted);
}

/**
 * Returns the default scope of the server as text, reduced to the values that the client may request. `undefined` if
 * none is left.
 */
function defaultScopeFor(client: CoreClient, { defaultScope = [] }: ScopeOptions): string | undefined {
  const scopes = scopesOf(client);
  const allowed = typeof scopes === 'string' || Array.isArray(scopes) ? scopeValues(scopes) : defaultScope;
  return scopeText(defaultScope.filter((value) => allowed.includes(value)));
}
