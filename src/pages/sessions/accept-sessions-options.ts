import { assertConfig, oneOfTexts, type OptionRows, optionTable, SCOPES } from '../../../lib/internal.js';
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

const OWNER = '`acceptSessions` of `pages()`';
const OPTIONS = optionTable(OWNER, {
  scopes: { check: SCOPES, default: [] },
  routes: { check: oneOfTexts('all', 'marked'), default: 'all' },
} satisfies OptionRows<AcceptSessionsOptions>);

/**
 * Validates the option `acceptSessions` of `pages()`.
 * @throws {InvalidArgumentError} If it is invalid.
 */
export function resolveAcceptSessions(option: boolean | AcceptSessionsOptions = false): ResolvedAcceptSessions {
  if (typeof option === 'boolean') return { scopes: [], isDefault: option };
  assertConfig(isObject(option), `${OWNER} must be true, false or an object`);
  const { scopes, routes } = OPTIONS.read<AcceptSessionsOptions>(option);
  return { scopes: Object.freeze([...scopes]), isDefault: routes === 'all' };
}
