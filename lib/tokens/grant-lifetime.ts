import { ServerError } from '../errors/index.js';
import type { Model } from '../model/model.js';
import { requireMethods } from '../model/require-methods.js';
import { lifetime } from './lifetime.js';

/** When a grant began, and when it is over however often it is refreshed. */
export interface GrantSpan {
  start: Date;
  end: Date;
}

/**
 * How long a grant lasts, one that began now unless it is known when it did; undefined where the host sets no end. RFC 9700
 * §4.14.2
 */
export function grantSpan(
  { grantLifetime = 0, model }: { grantLifetime?: number; model: Model },
  grantedAt?: Date,
): GrantSpan | undefined {
  if (Number(grantLifetime) === 0) return undefined;
  // A model that forgets when a grant began would let it begin anew at each refresh.
  requireMethods(model, ['revokeGrant']);
  const began: unknown = grantedAt ?? new Date(Date.now());
  if (!(began instanceof Date)) throw new ServerError('Server error: `grantedAt` must be a Date instance');
  return { start: began, end: new Date(began.getTime() + lifetime(grantLifetime, 'grantLifetime') * 1000) };
}

/** The earlier of the two; of a date that is none, the other. */
export const earlier = (date: Date, limit: Date): Date => (date < limit ? date : limit);

/** Not after the end of the grant. */
export const notAfter = (date: Date, span: GrantSpan | undefined): Date => (span ? earlier(date, span.end) : date);
