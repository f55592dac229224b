import { ServerError } from '../errors/index.js';
import type { Model } from '../model/model.js';
import { requireMethods } from '../model/require-methods.js';
import { lifetime } from './lifetime.js';

/** The start and the end of a grant with a limited lifetime. Refreshing does not extend it. */
export interface GrantSpan {
  start: Date;
  end: Date;
}

/**
 * Returns the start and end of a grant. It starts at `grantedAt`, or now. `undefined` if the option `grantLifetime`
 * sets no limit. RFC 9700 §4.14.2
 */
export function grantSpan(
  { grantLifetime = 0, model }: { grantLifetime?: number; model: Model },
  grantedAt?: Date,
): GrantSpan | undefined {
  if (Number(grantLifetime) === 0) return undefined;
  // Without a stored start, each refresh would begin a new grant.
  requireMethods(model, ['revokeGrant']);
  const start: unknown = grantedAt ?? new Date(Date.now());
  if (!(start instanceof Date)) throw new ServerError('Server error: `grantedAt` must be a Date instance');
  return { start, end: new Date(start.getTime() + lifetime(grantLifetime, 'grantLifetime') * 1000) };
}

/** Returns the earlier of two dates. If `date` is invalid, returns `limit`. */
export const earlier = (date: Date, limit: Date): Date => (date < limit ? date : limit);

/** Returns the date, or the end of the grant if that is earlier. Without a span, returns the date. */
export const notAfter = (date: Date, span: GrantSpan | undefined): Date => (span ? earlier(date, span.end) : date);
