import { assertConfig, assertKnownOptions, isScopeValue } from '../../../lib/adapter/index.js';
import { isObject } from '../../configuration/is-object.js';

/** How `OAuthGuard` accepts login sessions. */
export interface AcceptSessionsOptions {
  /**
   * The scopes of a session, such as `['notes:read', 'notes:write']`. Routes with `@Scopes()` refuse a session that
   * lacks one. Default: none. RFC 6749 §3.3
   */
  scopes?: readonly string[];
  /** `'all'`: all guarded routes. `'marked'`: only routes with `@AcceptSession()`. Default: `'all'`. */
  routes?: 'all' | 'marked';
}

/** The validated option `acceptSessions` of `pages()`. */
export interface ResolvedAcceptSessions {
  scopes: readonly string[];
  /** Whether routes without `@AcceptSession()` accept sessions. */
  isDefault: boolean;
}

const NAMES: { readonly [K in keyof AcceptSessionsOptions]-?: true } = { scopes: true, routes: true };

/**
 * Validates the option `acceptSessions` of `pages()`.
 * @throws {InvalidArgumentError} If it is invalid.
 */
export function resolveAcceptSessions(option: unknown = false): ResolvedAcceptSessions {
  if (typeof option === 'boolean') return { scopes: [], isDefault: option };
  assertConfig(isObject(option), '`acceptSessions` of `pages()` must be true, false or an object');
  assertKnownOptions(option, NAMES, '`acceptSessions` of `pages()`');
  const { scopes = [], routes = 'all' } = option as AcceptSessionsOptions;
  assertConfig(
    Array.isArray(scopes) && scopes.every((one) => typeof one === 'string' && isScopeValue(one)),
    '`acceptSessions.scopes` of `pages()` must be a list of scopes without spaces',
  );
  assertConfig(
    routes === 'all' || routes === 'marked',
    "`acceptSessions.routes` of `pages()` must be `'all'` or `'marked'`",
  );
  return { scopes: Object.freeze([...scopes]), isDefault: routes === 'all' };
}
