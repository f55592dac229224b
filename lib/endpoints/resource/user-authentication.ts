import { InsufficientUserAuthenticationError, type OAuthError } from '../../errors/index.js';
import type { Token } from '../../model/model.js';
import { signedIn } from '../../tokens/signed-in.js';

/** How well and how recently the user of a token must have proven who they are. RFC 9470 §3 */
export interface UserAuthentication {
  /** One of these strengths, the best first. */
  acr?: readonly string[];
  /** At most so many seconds ago. */
  maxAge?: number;
}

/** Seconds by which the clock of an authorization server may be ahead. */
const SKEW = 60;

/** What is wrong with the login behind a token, if anything; of what is not known nothing is believed. RFC 9470 §3 */
export function userAuthenticationFault(
  token: Token,
  { acr, maxAge }: UserAuthentication,
): InsufficientUserAuthenticationError | undefined {
  const known = signedIn(token);
  if (acr && !(known.acr !== undefined && acr.includes(known.acr))) {
    const detail = { rule: 'the user has signed in as the route wants it', wanted: acr.join(' '), given: known.acr };
    return insufficient('a stronger login is required', { acr, maxAge }).because(detail);
  }
  if (maxAge !== undefined && !isRecent(known.auth_time, maxAge)) {
    const detail = { rule: 'the login is so many seconds old at most', wanted: maxAge, given: known.auth_time };
    return insufficient('a more recent login is required', { acr, maxAge }).because(detail);
  }
  return undefined;
}

function isRecent(authTime: number | undefined, maxAge: number): boolean {
  if (authTime === undefined) return false;
  const age = Math.floor(Date.now() / 1000) - authTime;
  return age >= -SKEW && age <= maxAge;
}

const insufficient = (why: string, { acr, maxAge }: UserAuthentication) =>
  new InsufficientUserAuthenticationError(`Insufficient user authentication: ${why}`, {
    ...(acr && { acrValues: acr.join(' ') }),
    ...(maxAge !== undefined && { maxAge }),
  });

/** What a client puts into its next authorization request to be let in; empty for any other error. RFC 9470 §4 */
export function stepUpOf(error: OAuthError): { acr_values?: string; max_age?: number } {
  if (!(error instanceof InsufficientUserAuthenticationError)) return {};
  const { acrValues, maxAge } = error;
  return {
    ...(acrValues !== undefined && { acr_values: acrValues }),
    ...(maxAge !== undefined && { max_age: maxAge }),
  };
}
